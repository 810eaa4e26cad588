// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/mapping.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "maps/contents.hpp"
#include "maps/protection.hpp"
#include "maps/shares.hpp"
#include "maps/sudden_ends.hpp"
#include "runtime/job/job.hpp"

namespace weft::maps {
namespace {

constexpr std::size_t kHugePageBytes = std::size_t{2} << 20;
// /dev/zero.
const dev_t kZeroDevice = makedev(1, 5);

void* pointer(std::uintptr_t address) { return reinterpret_cast<void*>(address); }

void* failed(int error) {
  errno = error;
  return MAP_FAILED;
}

bool is_fixed(const MapCall& call) { return (call.flags & MAP_FIXED) != 0; }

// What no job of several nodes can do.
void refuse_if_impossible(Node& node, const MapCall& call) {
  const auto refuse = [&](const char* what, const char* why) {
    node.fail(fmt::format("mmap with {}: {}; run the program on one node", what, why));
  };
  if ((call.protection & PROT_EXEC) != 0) {
    refuse("PROT_EXEC", "code that the program makes would be on this node alone");
  }
  if ((call.flags & MAP_GROWSDOWN) != 0) {
    refuse("MAP_GROWSDOWN", "shared memory does not grow when it is touched");
  }
  if ((call.flags & MAP_32BIT) != 0) {
    refuse("MAP_32BIT", "shared memory has its place above the first 4 GiB");
  }
  if (is_fixed(call) && !node.is_shared(pointer(call.address))) {
    refuse("MAP_FIXED",
           "the address is not in memory that the program has mapped, so it may be in use on other "
           "nodes; reserve the range first, with mmap and PROT_NONE");
  }
}

int error_of(const MapCall& call) {
  constexpr std::size_t kMost = std::size_t{1} << 47;
  const int type = call.flags & MAP_TYPE;
  if (call.bytes == 0 || call.place % static_cast<std::int64_t>(kPageBytes) != 0) return EINVAL;
  if (type != MAP_PRIVATE && type != MAP_SHARED && type != MAP_SHARED_VALIDATE) return EINVAL;
  if (is_fixed(call) && call.address % kPageBytes != 0) return EINVAL;
  return call.bytes > kMost ? ENOMEM : 0;
}

// Memory for the call, of zeros.
std::optional<AddressRange> make_room(Node& node, const MapCall& call) {
  const std::size_t alignment = (call.flags & MAP_HUGETLB) != 0 ? kHugePageBytes : kPageBytes;
  const std::size_t bytes = (call.bytes + alignment - 1) / alignment * alignment;
  if (!is_fixed(call)) return take(bytes, alignment);
  const AddressRange range{call.address, call.address + bytes};
  if (!node.is_shared(pointer(range.end - 1))) return std::nullopt;
  // Pages that another map of the same object holds would change under it.
  if (const auto free = forget_maps(node, range); free.size() != 1 || free[0].bytes() != bytes) {
    node.fail(
        "mmap with MAP_FIXED over one of several maps of the same object is not possible in a "
        "job of several nodes; unmap the others first");
  }
  if (maps_layout().contains(range.begin)) claim(range);
  make_zero(node, range);
  return range;
}

void add_record(Node& node, MapTable& table, const MapRecord& record) {
  if (!table.add(record)) node.fail("mmap: the program has mapped too many files at a time");
}

// Where the program may count on the fault. Null: it does not.
void* map_without_access(Node& node, const MapCall& call) {
  constexpr int kAll = PROT_READ | PROT_WRITE;
  if ((call.protection & kAll) == kAll || !has_fault_handler()) return nullptr;
  if (call.protection == PROT_NONE && !is_fixed(call)) {
    void* const place = untouchable(node, pages_with(0, call.bytes).bytes());
    return place == nullptr ? failed(ENOMEM) : place;
  }
  node.fail(
      "mmap of memory without access, or with read access alone, in a program that has a handler "
      "for SIGSEGV or SIGBUS: in a job of several nodes the touch would be no fault; run the "
      "program on one node");
}

void* map_anonymous(Node& node, const MapCall& call) {
  if (void* const place = map_without_access(node, call)) return place;
  const auto range = make_room(node, call);
  if (!range) return failed(ENOMEM);
  if ((call.flags & MAP_TYPE) != MAP_PRIVATE) {
    with_table(node, [&](MapTable& table) {
      add_record(node, table, {.where = *range, .kind = MapKind::kSharedAnonymous});
    });
  }
  return pointer(range->begin);
}

// A map of the same object may hold what the file does not, yet.
bool write_back_object(MapTable& table, const struct stat& status) {
  for (const MapRecord& record : table.all()) {
    const bool is_it = record.kind == MapKind::kSharedFile && record.device == status.st_dev &&
                       record.inode == status.st_ino;
    if (is_it && !write_back(record)) return false;
  }
  return true;
}

MapRecord record_of(const MapCall& call, const struct stat& status, AddressRange where) {
  const bool is_private = (call.flags & MAP_TYPE) == MAP_PRIVATE;
  return {.where = where,
          .device = status.st_dev,
          .inode = status.st_ino,
          .place = static_cast<std::uint64_t>(call.place),
          .file = duplicate_of(call.file),
          .kind = is_private ? MapKind::kPrivateFile : MapKind::kSharedFile,
          .may_write = (call.protection & PROT_WRITE) != 0};
}

void* map_private_file(Node& node, const MapCall& call, const struct stat& status) {
  const auto range = make_room(node, call);
  if (!range) return failed(ENOMEM);
  const bool done = with_table(node, [&](MapTable& table) {
    if (!write_back_object(table, status)) return false;
    add_record(node, table, record_of(call, status, *range));
    return fill_from_file(*range, call.file, static_cast<std::uint64_t>(call.place));
  });
  if (done) return pointer(range->begin);
  const int error = errno;
  for (const AddressRange& free : forget_maps(node, *range)) release(free);
  return failed(error);
}

[[noreturn]] void refuse_second_address(Node& node, const MapCall& call) {
  node.fail(
      fmt::format("mmap with MAP_SHARED of the {} bytes from {} on: a part of them is mapped "
                  "already, and in a job of several nodes a byte of a file or an object has "
                  "one address; map all of it at once, or unmap it before",
                  call.bytes, call.place));
}

// The bytes of the object are in memory already, or are read now. `room` is there for MAP_FIXED.
void* map_shared_in(Node& node, MapTable& table, const MapCall& call, const struct stat& status,
                    std::optional<AddressRange> room) {
  const std::size_t bytes = pages_with(0, call.bytes).bytes();
  const auto place = static_cast<std::uint64_t>(call.place);
  const MapTable::Found found =
      table.find(MapKind::kSharedFile, status.st_dev, status.st_ino, place, bytes);
  if (found.overlaps || (found.address && room)) refuse_second_address(node, call);
  if (found.address) {
    add_record(node, table, record_of(call, status, {*found.address, *found.address + bytes}));
    return pointer(*found.address);
  }
  if (!room) room = take(bytes, kPageBytes);
  if (!room) return failed(ENOMEM);
  add_record(node, table, record_of(call, status, *room));
  return fill_from_file(*room, call.file, place) ? pointer(room->begin) : MAP_FAILED;
}

void* map_shared_file(Node& node, const MapCall& call, const struct stat& status) {
  std::optional<AddressRange> room;
  if (is_fixed(call)) {
    room = make_room(node, call);
    if (!room) return failed(ENOMEM);
  }
  return with_table(
      node, [&](MapTable& table) { return map_shared_in(node, table, call, status, room); });
}

void* map_file(Node& node, const MapCall& call) {
  const std::optional<struct stat> status = status_of(call.file);
  if (!status) return failed(EBADF);
  if (S_ISCHR(status->st_mode) && status->st_rdev == kZeroDevice) return map_anonymous(node, call);
  if (!S_ISREG(status->st_mode)) {
    node.fail(
        "mmap of a device or of something else that is no file: other nodes cannot have the "
        "same; run the program on one node");
  }
  const int mode = access_mode_of(call.file);
  const bool is_private = (call.flags & MAP_TYPE) == MAP_PRIVATE;
  const bool writes_file = !is_private && (call.protection & PROT_WRITE) != 0;
  if (mode < 0) return MAP_FAILED;
  if (mode == O_WRONLY || (writes_file && mode != O_RDWR)) return failed(EACCES);
  if (!is_private) watch_for_shared_maps(node);
  return is_private ? map_private_file(node, call, *status) : map_shared_file(node, call, *status);
}

void close_unused(const MapTable& table, const std::vector<MapRecord>& removed) {
  for (std::size_t i = 0; i < removed.size(); ++i) {
    const int file = removed[i].file;
    const auto has_it = [file](const MapRecord& record) { return record.file == file; };
    const bool is_last =
        std::none_of(removed.begin() + static_cast<std::ptrdiff_t>(i) + 1, removed.end(), has_it);
    if (file >= 0 && is_last && !table.uses_file(file)) ::close(file);
  }
}

std::vector<AddressRange> forget_in(Node& node, MapTable& table, AddressRange range) {
  for (const MapRecord& part : table.parts_in(range)) {
    if (!write_back(part)) {
      node.fail(fmt::format("munmap: what was written to a mapped file cannot be written back: {}",
                            std::strerror(errno)));
    }
  }
  MapTable::Cut cut = table.cut(range);
  if (cut.is_ambiguous) {
    node.fail(
        "munmap of a part of an object that is mapped more than once: in a job of several "
        "nodes all maps of it are at one address; unmap each of them whole");
  }
  close_unused(table, cut.removed);
  return std::move(cut.free);
}

}  // namespace

MapTable the_table() { return MapTable(maps_layout().table()); }

AddressRange pages_with(std::uintptr_t address, std::size_t bytes) {
  return {address, address + (bytes + kPageBytes - 1) / kPageBytes * kPageBytes};
}

bool is_in_maps(AddressRange range) {
  return maps_layout().contains(range.begin) && maps_layout().contains(range.end - 1);
}

std::vector<AddressRange> forget_maps(Node& node, AddressRange range) {
  if (the_table().count() == 0) return {range};
  return with_table(node, [&](MapTable& table) { return forget_in(node, table, range); });
}

bool write_back_maps(Node& node, AddressRange range) {
  if (the_table().count() == 0) return true;
  return with_table(node, [&](MapTable& table) {
    const std::vector<MapRecord> parts = table.parts_in(range);
    return std::all_of(parts.begin(), parts.end(),
                       [](const MapRecord& part) { return write_back(part); });
  });
}

void* map(Node& node, const MapCall& call) {
  if (const int error = error_of(call); error != 0) return failed(error);
  refuse_if_impossible(node, call);
  return (call.flags & MAP_ANONYMOUS) != 0 ? map_anonymous(node, call) : map_file(node, call);
}

bool unmap(Node& node, std::uintptr_t address, std::size_t bytes) {
  if (address % kPageBytes != 0 || bytes == 0) {
    errno = EINVAL;
    return false;
  }
  const AddressRange range = pages_with(address, bytes);
  if (!is_in_maps(range)) {
    node.fail(
        "munmap of memory that no mmap has given (of the heap, the program's data or a stack) "
        "is not possible in a job of several nodes; use madvise with MADV_DONTNEED to clear "
        "it");
  }
  for (const AddressRange& free : forget_maps(node, range)) release(free);
  return true;
}

}  // namespace weft::maps
