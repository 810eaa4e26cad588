// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the program has mapped MAP_SHARED (src/maps, which stands above this layer): what a
// call reads from such a file must be what is in memory, and what it writes must get there. Called
// around the calls that the program makes on descriptors; each function returns at once if nothing
// is mapped.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstddef>

#include "libc/interposition/hooks.hpp"
#include "stacks/stacks.hpp"

namespace weft::libc {

struct MappedFiles {
  // `place` -1: from the file's position on.
  void (*before_read)(int file, off_t place, std::size_t bytes);
  // `place` -1: up to the file's position.
  void (*after_write)(int file, off_t place, std::size_t bytes);
  // Of a file that has been opened, with these flags: O_TRUNC has emptied it.
  void (*after_open)(int file, int flags);
  // A file is about to get another length, or has got it. The length is -1 if it is not mapped.
  off_t (*length)(int file);
  void (*after_resize)(int file, off_t before, off_t now);
  // Another process is going to look at files.
  void (*before_child)();
};

inline constinit std::atomic<const MappedFiles*> installed_mapped_files = nullptr;

// Null for callers that are not the program: the table of maps is shared memory.
[[nodiscard]] inline const MappedFiles* mapped_files() {
  const MappedFiles* const mapped = installed_mapped_files.load(std::memory_order_acquire);
  if (mapped == nullptr || !is_on_program_stack()) return nullptr;
  return mapped;
}

// Around a read or a write of the program's.
template <typename Read>
ssize_t reading_mapped(int file, off_t place, std::size_t bytes, Read read) {
  if (const MappedFiles* const mapped = mapped_files()) mapped->before_read(file, place, bytes);
  return read();
}
template <typename Write>
ssize_t writing_mapped(int file, off_t place, Write write) {
  const ssize_t count = write();
  const MappedFiles* const mapped = count > 0 ? mapped_files() : nullptr;
  if (mapped != nullptr) mapped->after_write(file, place, static_cast<std::size_t>(count));
  return count;
}

inline int note_opened(int file, int flags) {
  const MappedFiles* const mapped = file >= 0 ? mapped_files() : nullptr;
  if (mapped != nullptr) mapped->after_open(file, flags);
  return file;
}

}  // namespace weft::libc
