// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls by which the kernel copies between files, or changes them without contents from the caller:
// what is mapped MAP_SHARED agrees with it (mapped_files.hpp).
#include <fcntl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include <cerrno>

#include "libc/interposition/io_bounce.hpp"
#include "libc/ownership/kept_descriptors.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"

namespace weft::libc {
namespace {

constexpr std::size_t kAll = SIZE_MAX;

// Where a copy begins: null is the file's position.
off64_t place_of(const off64_t* place) { return place == nullptr ? -1 : *place; }

// `copy()` from one file to another; a place moves with it.
template <typename Copy>
ssize_t copying_mapped(int from, const off64_t* from_at, int to, const off64_t* to_at,
                       std::size_t bytes, Copy copy) {
  const off64_t begin = place_of(to_at);
  return writing_mapped(to, begin,
                        [&] { return reading_mapped(from, place_of(from_at), bytes, copy); });
}

// The memory's contents are in the file.
void write_back(int file) {
  if (const MappedFiles* const mapped = mapped_files()) mapped->before_read(file, 0, kAll);
}

int synchronise(int (*real)(int), int file) {
  write_back(file);
  return of_descriptor(FileOperation::kSynchronise, real, file);
}

off_t move(int file, off_t by, int from) {
  if (is_kept_from_program(file)) {
    errno = EBADF;
    return -1;
  }
  if (from == SEEK_DATA || from == SEEK_HOLE) write_back(file);
  return of_descriptor(FileOperation::kMove, WEFT_REAL(lseek), file, by, from);
}

}  // namespace

WEFT_ENTRY(ssize_t, sendfile, int to, int from, off_t* place, std::size_t n) {
  return copying_mapped(from, place, to, nullptr, n,
                        [=] { return call(WEFT_REAL(sendfile), to, from, memory(place), n); });
}
WEFT_ENTRY(ssize_t, sendfile64, int to, int from, off_t* place, std::size_t n) {
  return weft_entry_sendfile(to, from, place, n);
}
WEFT_ENTRY(ssize_t, copy_file_range, int from, off64_t* from_at, int to, off64_t* to_at,
           std::size_t n, unsigned flags) {
  return copying_mapped(from, from_at, to, to_at, n, [=] {
    return call(WEFT_REAL(copy_file_range), from, memory(from_at), to, memory(to_at), n, flags);
  });
}
WEFT_ENTRY(ssize_t, splice, int from, off64_t* from_at, int to, off64_t* to_at, std::size_t n,
           unsigned flags) {
  return copying_mapped(from, from_at, to, to_at, n, [=] {
    return call(WEFT_REAL(splice), from, memory(from_at), to, memory(to_at), n, flags);
  });
}

// Holes and zeros change what is there; COLLAPSE_RANGE and INSERT_RANGE all behind it, too.
WEFT_ENTRY(int, fallocate, int file, int mode, off_t place, off_t length) {
  constexpr int kMoves = FALLOC_FL_COLLAPSE_RANGE | FALLOC_FL_INSERT_RANGE;
  constexpr int kClears = FALLOC_FL_PUNCH_HOLE | FALLOC_FL_ZERO_RANGE;
  const MappedFiles* const mapped = (mode & (kMoves | kClears)) == 0 ? nullptr : mapped_files();
  if (mapped != nullptr) write_back(file);
  const off_t before = mapped == nullptr ? -1 : mapped->length(file);
  const int result = WEFT_REAL(fallocate)(file, mode, place, length);
  if (result != 0 || mapped == nullptr) return result;
  const bool moves = (mode & kMoves) != 0;
  mapped->after_write(file, place, moves ? kAll / 4 : static_cast<std::size_t>(length));
  if (before >= 0) mapped->after_resize(file, before, mapped->length(file));
  return result;
}
WEFT_ENTRY(int, fallocate64, int file, int mode, off64_t place, off64_t length) {
  return weft_entry_fallocate(file, mode, place, length);
}

WEFT_ENTRY(int, fsync, int file) { return synchronise(WEFT_REAL(fsync), file); }
WEFT_ENTRY(int, fdatasync, int file) { return synchronise(WEFT_REAL(fdatasync), file); }
WEFT_ENTRY(off_t, lseek, int file, off_t by, int from) { return move(file, by, from); }
WEFT_ENTRY(off64_t, lseek64, int file, off64_t by, int from) { return move(file, by, from); }

}  // namespace weft::libc
