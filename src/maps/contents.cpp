// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/contents.hpp"

#include <fcntl.h>
#include <sys/shm.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "libc/interposition/interpose.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"

namespace weft::maps {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{256} << 10;
constexpr std::uint64_t kPagesPerLook = std::uint64_t{1} << 20;
alignas(kPageBytes) constexpr std::byte kZeroPage[kPageBytes] = {};

bool is_zero(const std::byte* bytes, std::size_t count) {
  return std::memcmp(bytes, kZeroPage, count) == 0;
}

// Pages of zeros stay without memory.
void copy_in(std::uintptr_t to, const std::byte* from, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += kPageBytes) {
    const std::size_t count = std::min(bytes - at, std::size_t{kPageBytes});
    if (is_zero(from + at, count)) continue;
    std::memcpy(reinterpret_cast<void*>(to + at), from + at, count);
  }
}

// Calls act(bytes from the range's begin, bytes) for what somebody may have written.
template <typename Act>
void for_each_used(Node& node, AddressRange range, Act act) {
  for (std::uintptr_t at = range.begin; at < range.end; at += kPagesPerLook * kPageBytes) {
    const std::uint64_t count = std::min((range.end - at) / kPageBytes, kPagesPerLook);
    const PageIndex first = node.offset_of(reinterpret_cast<const void*>(at))->page();
    for (const PageRange& used : node.used_pages({first, count}).ranges()) {
      const std::uint64_t skipped = used.first.value() - first.value();
      act(at - range.begin + skipped * kPageBytes, used.count * kPageBytes);
    }
  }
}

// Reads until the piece is full or the file ends: how many bytes; -1 with errno.
ssize_t read_piece(int file, std::byte* to, std::size_t bytes, std::uint64_t place) {
  std::size_t done = 0;
  while (done < bytes) {
    const ssize_t got =
        libc::transfer_in_at(file, to + done, bytes - done, static_cast<off_t>(place + done));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return -1;
    if (got == 0) break;
    done += static_cast<std::size_t>(got);
  }
  return static_cast<ssize_t>(done);
}

bool write_piece(int file, const std::byte* from, std::size_t bytes, std::uint64_t place) {
  for (std::size_t done = 0; done < bytes;) {
    const ssize_t count =
        libc::transfer_out_at(file, from + done, bytes - done, static_cast<off_t>(place + done));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    done += static_cast<std::size_t>(count);
  }
  return true;
}

// The pages of a piece that are not what the file holds.
bool write_differences(int file, const std::byte* now, const std::byte* before, std::size_t bytes,
                       std::uint64_t place) {
  for (std::size_t at = 0; at < bytes; at += kPageBytes) {
    const std::size_t count = std::min(bytes - at, std::size_t{kPageBytes});
    if (std::memcmp(now + at, before + at, count) == 0) continue;
    if (!write_piece(file, now + at, count, place + at)) return false;
  }
  return true;
}

bool write_back_to_file(const MapRecord& part) {
  std::vector<std::byte> now(kPieceBytes), before(kPieceBytes);
  for (std::size_t at = 0; at < part.where.bytes(); at += kPieceBytes) {
    const std::size_t most = std::min(part.where.bytes() - at, kPieceBytes);
    const ssize_t there = read_piece(part.file, before.data(), most, part.place + at);
    if (there < 0) return false;
    const auto count = static_cast<std::size_t>(there);
    std::memcpy(now.data(), reinterpret_cast<const void*>(part.where.begin + at), count);
    if (!write_differences(part.file, now.data(), before.data(), count, part.place + at)) {
      return false;
    }
    if (count < most) break;
  }
  return true;
}

template <typename Copy>
bool with_segment(int id, int flags, Copy copy) {
  void* const attached = WEFT_REAL(shmat)(id, nullptr, flags);
  if (attached == reinterpret_cast<void*>(-1)) return false;
  copy(static_cast<std::byte*>(attached));
  (void)WEFT_REAL(shmdt)(attached);
  return true;
}

bool write_back_to_segment(const MapRecord& part) {
  shmid_ds status = {};
  const auto id = static_cast<int>(part.inode);
  if (WEFT_REAL(shmctl)(id, IPC_STAT, &status) != 0) return errno == EIDRM || errno == EINVAL;
  const std::size_t bytes =
      std::min(part.where.bytes(), std::size_t{status.shm_segsz} - part.place);
  return with_segment(id, 0, [&](std::byte* segment) {
    std::memcpy(segment + part.place, reinterpret_cast<const void*>(part.where.begin), bytes);
  });
}

}  // namespace

void make_zero(Node& node, AddressRange range) {
  for_each_used(node, range, [&](std::size_t at, std::size_t bytes) {
    std::memset(reinterpret_cast<void*>(range.begin + at), 0, bytes);
  });
}

void copy_used(Node& node, AddressRange from, AddressRange to) {
  const std::size_t bytes = std::min(from.bytes(), to.bytes());
  for_each_used(node, {from.begin, from.begin + bytes}, [&](std::size_t at, std::size_t count) {
    copy_in(to.begin + at, reinterpret_cast<const std::byte*>(from.begin + at), count);
  });
}

bool fill_from_file(AddressRange range, int file, std::uint64_t place) {
  std::vector<std::byte> piece(std::min(kPieceBytes, range.bytes()));
  for (std::size_t at = 0; at < range.bytes(); at += kPieceBytes) {
    const std::size_t most = std::min(range.bytes() - at, kPieceBytes);
    const ssize_t got = read_piece(file, piece.data(), most, place + at);
    if (got < 0) return false;
    copy_in(range.begin + at, piece.data(), static_cast<std::size_t>(got));
    if (static_cast<std::size_t>(got) < most) break;
  }
  return true;
}

bool write_back(const MapRecord& part) {
  if (!part.is_to_be_written_back()) return true;
  return part.kind == MapKind::kSharedFile ? write_back_to_file(part) : write_back_to_segment(part);
}

bool read_again(const MapRecord& part) {
  std::vector<std::byte> piece(std::min(kPieceBytes, part.where.bytes()));
  for (std::size_t at = 0; at < part.where.bytes(); at += kPieceBytes) {
    const std::size_t most = std::min(part.where.bytes() - at, kPieceBytes);
    const ssize_t got = read_piece(part.file, piece.data(), most, part.place + at);
    if (got < 0) return false;
    std::memcpy(reinterpret_cast<void*>(part.where.begin + at), piece.data(),
                static_cast<std::size_t>(got));
  }
  return true;
}

bool fill_from_segment(AddressRange range, int id) {
  shmid_ds status = {};
  if (WEFT_REAL(shmctl)(id, IPC_STAT, &status) != 0) return false;
  return with_segment(id, SHM_RDONLY, [&](const std::byte* segment) {
    copy_in(range.begin, segment, std::min(range.bytes(), std::size_t{status.shm_segsz}));
  });
}

std::optional<struct stat> status_of(int file) {
  struct stat status = {};
  if (const auto owner = libc::other_owner(file)) {
    const libc::FileAnswer answer =
        libc::ask(*owner, libc::FileOperation::kStatus, libc::number_of(file));
    if (answer.result != 0) return std::nullopt;
    std::memcpy(&status, answer.bytes.data(), std::min(sizeof status, answer.bytes.size()));
    return status;
  }
  if (WEFT_REAL(fstat)(file, &status) != 0) return std::nullopt;
  return status;
}

int access_mode_of(int file) {
  if (const auto owner = libc::other_owner(file)) {
    return static_cast<int>(
        libc::ask_for_number(*owner, libc::FileOperation::kAccessMode, libc::number_of(file)));
  }
  const int flags = WEFT_REAL(fcntl)(file, F_GETFL);
  return flags < 0 ? -1 : flags & O_ACCMODE;
}

int duplicate_of(int file) {
  if (const auto owner = libc::other_owner(file)) {
    return static_cast<int>(
        libc::ask_for_number(*owner, libc::FileOperation::kDuplicate, libc::number_of(file)));
  }
  return libc::place_own_descriptor(WEFT_REAL(fcntl)(file, F_DUPFD_CLOEXEC, 3));
}

}  // namespace weft::maps
