// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "maps/file_calls.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "libc/ownership/mapped_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "maps/contents.hpp"
#include "maps/mapping.hpp"
#include "maps/start.hpp"
#include "runtime/job/job.hpp"
#include "stacks/stacks.hpp"

namespace weft::maps {
namespace {

bool is_of(const MapRecord& record, const struct stat& status) {
  return record.kind == MapKind::kSharedFile && record.device == status.st_dev &&
         record.inode == status.st_ino;
}

// The file's bytes [begin, end) as far as they are mapped.
std::vector<MapRecord> parts_of(const MapTable& table, const struct stat& status,
                                std::uint64_t begin, std::uint64_t end) {
  std::vector<MapRecord> parts;
  for (const MapRecord& record : table.all()) {
    const std::uint64_t first = std::max(begin, record.place);
    const std::uint64_t last = std::min(end, record.place + record.where.bytes());
    if (!is_of(record, status) || first >= last) continue;
    const std::uintptr_t at = record.where.begin + (first - record.place);
    parts.push_back(record.part({at, at + (last - first)}));
  }
  return parts;
}

// Calls f(parts, status) under the table's lock, on the runtime stack, if the file is mapped.
// errno stays as it is.
template <typename F>
void for_mapped(int file, std::uint64_t begin, std::uint64_t end, F f) {
  Node* const node = this_node();
  if (node == nullptr || the_table().count() == 0) return;
  const int call_errno = errno;
  on_runtime_stack([&] {
    const std::optional<struct stat> status = status_of(file);
    if (!status || !S_ISREG(status->st_mode)) return;
    with_table(*node, [&](MapTable& table) {
      const std::vector<MapRecord> parts = parts_of(table, *status, begin, end);
      if (!parts.empty()) f(*node, parts, *status);
    });
  });
  errno = call_errno;
}

constexpr std::uint64_t kEnd = std::uint64_t{1} << 62;

void write_back_parts(Node& node, const std::vector<MapRecord>& parts) {
  for (const MapRecord& part : parts) {
    if (write_back(part)) continue;
    node.fail("what was written to a mapped file cannot be written back for a read of the file");
  }
}

bool has_maps() { return this_node() != nullptr && the_table().count() > 0; }

void before_read(int file, off_t place, std::size_t bytes) {
  if (!has_maps()) return;
  const int call_errno = errno;
  if (place < 0) place = ::lseek(file, 0, SEEK_CUR);
  errno = call_errno;
  if (place < 0) return;
  const auto begin = static_cast<std::uint64_t>(place);
  for_mapped(file, begin, begin + std::min(bytes, std::size_t{kEnd}),
             [](Node& node, const std::vector<MapRecord>& parts, const struct stat&) {
               write_back_parts(node, parts);
             });
}

void after_write(int file, off_t place, std::size_t bytes) {
  if (!has_maps()) return;
  const int call_errno = errno;
  if (place < 0) place = ::lseek(file, 0, SEEK_CUR) - static_cast<off_t>(bytes);
  errno = call_errno;
  if (place < 0) return;
  const auto begin = static_cast<std::uint64_t>(place);
  for_mapped(file, begin, begin + bytes,
             [](Node& node, const std::vector<MapRecord>& parts, const struct stat&) {
               for (const MapRecord& part : parts) {
                 if (!read_again(part))
                   node.fail("a mapped file that was written to cannot be read");
               }
             });
}

void clear_behind(int file, off_t length) {
  for_mapped(file, static_cast<std::uint64_t>(length), kEnd,
             [](Node&, const std::vector<MapRecord>& parts, const struct stat&) {
               for (const MapRecord& part : parts) {
                 std::memset(reinterpret_cast<void*>(part.where.begin), 0, part.where.bytes());
               }
             });
}

void after_open(int file, int flags) {
  if ((flags & O_TRUNC) != 0) return clear_behind(file, 0);
  for_mapped(file, 0, kEnd,
             [](Node& node, const std::vector<MapRecord>& parts, const struct stat&) {
               write_back_parts(node, parts);
             });
}

off_t length_of(int file) {
  off_t length = -1;
  for_mapped(file, 0, kEnd, [&](Node&, const std::vector<MapRecord>&, const struct stat& status) {
    length = status.st_size;
  });
  return length;
}

void after_resize(int file, off_t before, off_t now) {
  if (before >= 0) clear_behind(file, std::min(before, now));
}

void before_child() {
  if (!has_maps()) return;
  on_runtime_stack([] {
    Node& node = *this_node();
    with_table(node, [&](MapTable& table) { write_back_parts(node, table.all()); });
  });
}

constexpr libc::MappedFiles kCalls = {.before_read = before_read,
                                      .after_write = after_write,
                                      .after_open = after_open,
                                      .length = length_of,
                                      .after_resize = after_resize,
                                      .before_child = before_child};

}  // namespace

void watch_files() { libc::installed_mapped_files = &kCalls; }

}  // namespace weft::maps
