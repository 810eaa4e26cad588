// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/remote/own_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

#include "base/addresses.hpp"
#include "base/remote/remote_abi.hpp"
#include "base/signal_safe_mutex.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "memory/exposed/host_files.hpp"
#include "stacks/stacks.hpp"

namespace weft::remote {
namespace {

SignalSafeMutex making;
std::atomic<Table*> table{nullptr};
int file = -1;  // set before the table is

constexpr std::uint64_t whole_pages(std::uint64_t bytes) {
  return (bytes + kPageBytes - 1) / kPageBytes * kPageBytes;
}

// The system's own calls: the program's are for its shared memory.
bool resize(int descriptor, std::uint64_t bytes) {
  return syscall(SYS_ftruncate, descriptor, bytes) == 0;
}

Table* make() {
  const auto created = static_cast<int>(syscall(SYS_memfd_create, "weft-registered", MFD_CLOEXEC));
  const int made = created < 0 ? -1 : keep_file(created);
  if (made < 0) return nullptr;
  std::byte* memory = nullptr;
  if (resize(made, whole_pages(sizeof(Table)))) memory = map_file(made, 0, sizeof(Table));
  if (memory == nullptr) {
    syscall(SYS_close, made);
    return nullptr;
  }
  file = made;
  auto* const made_table = reinterpret_cast<Table*>(memory);
  made_table->has_light_fences = agree_to_light_fences();
  return made_table;
}

// The first gap of so many bytes.
std::uint64_t free_offset(const Table& all, std::uint64_t bytes) {
  std::uint64_t offset = whole_pages(sizeof(Table));
  const std::uint32_t used = all.pieces_used.load();
  for (std::uint32_t piece = 0; piece < used;) {
    const Piece& each = all.pieces[piece];
    const std::uint64_t end = each.offset + whole_pages(each.bytes);
    const bool overlaps = each.bytes > 0 && each.offset < offset + bytes && offset < end;
    if (overlaps) offset = end;
    piece = overlaps ? 0 : piece + 1;
  }
  return offset;
}

std::byte* map_piece(Piece& piece, std::uint64_t bytes) {
  const std::uint64_t offset = free_offset(*own_table(), whole_pages(bytes));
  struct stat found{};
  if (fstat(file, &found) != 0) return nullptr;
  const std::uint64_t end = offset + whole_pages(bytes);
  if (end > static_cast<std::uint64_t>(found.st_size) && !resize(file, end)) return nullptr;
  std::byte* const memory = map_file(file, offset, bytes);
  if (memory != nullptr) piece.offset = offset;
  return memory;
}

}  // namespace

Table* own_table() { return table.load(std::memory_order_acquire); }

Table* make_own_table() {
  if (Table* const made = own_table()) return made;
  const std::lock_guard guard(making);
  if (own_table() == nullptr) table.store(make(), std::memory_order_release);
  return own_table();
}

int keep_file(int descriptor) {
  constexpr int kNotTheProgramsOwn = 256;  // libc/ownership/kept_descriptors.hpp
  const long kept = syscall(SYS_fcntl, descriptor, F_DUPFD_CLOEXEC, kNotTheProgramsOwn);
  syscall(SYS_close, descriptor);
  if (kept >= 0) libc::keep_descriptor(static_cast<int>(kept));
  return static_cast<int>(kept);
}

std::optional<FilePlace> own_place() {
  if (own_table() == nullptr) return std::nullopt;
  return FilePlace{number_of_this_process(), file, file_number(file)};
}

std::byte* map_file(int descriptor, std::uint64_t offset, std::uint64_t bytes) {
  const long mapped = syscall(SYS_mmap, nullptr, whole_pages(bytes), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_NORESERVE, descriptor, offset);
  return mapped == -1 ? nullptr : reinterpret_cast<std::byte*>(mapped);
}

void unmap_file(std::byte* memory, std::uint64_t bytes) {
  syscall(SYS_munmap, memory, whole_pages(bytes));
}

}  // namespace weft::remote

extern "C" {

[[gnu::visibility("default")]] weft::remote::Table* __weft_remote_own_table(int makes) {
  using namespace weft::remote;
  return makes == 0 ? own_table() : weft::on_runtime_stack([] { return make_own_table(); });
}

[[gnu::visibility("default")]] std::byte* __weft_remote_map(weft::remote::Piece* piece,
                                                            std::size_t bytes) {
  return weft::remote::map_piece(*piece, bytes);
}

// What comes there next is zero again.
[[gnu::visibility("default")]] void __weft_remote_unmap(weft::remote::Piece* piece,
                                                        std::byte* memory) {
  using namespace weft::remote;
  unmap_file(memory, piece->bytes);
  syscall(SYS_fallocate, file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, piece->offset,
          whole_pages(piece->bytes));
}

}  // extern "C"
