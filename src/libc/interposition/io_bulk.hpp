// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The contents that calls like read and write move: through a private buffer of this thread, a MiB
// at a time. A transfer that fits is one system call, with exactly the result that it would have
// had; a larger one is cut where POSIX allows the real call to stop early.
#pragma once

#include <sys/uio.h>

#include <algorithm>
#include <vector>

#include "libc/interposition/io_bounce.hpp"

namespace weft::libc {

// The program's memory on one side of a transfer, in order.
class Segments {
 public:
  Segments(const void* pointer, std::size_t bytes)
      : one_{const_cast<void*>(pointer), bytes}, total_(bytes) {}
  // An array that may itself be shared. False from good() where the kernel would say EINVAL.
  Segments(const iovec* vectors, int count);

  [[nodiscard]] bool good() const { return good_; }
  [[nodiscard]] std::size_t bytes() const { return total_; }
  [[nodiscard]] bool any_shared(const Hooks& node) const;
  // Between the program's memory from `offset` on and a private buffer.
  void gather(std::size_t offset, void* buffer, std::size_t bytes) const;
  void scatter(std::size_t offset, const void* buffer, std::size_t bytes) const;

 private:
  template <typename Move>
  void for_each_piece(std::size_t offset, std::size_t bytes, Move move) const;

  iovec one_{};
  std::vector<iovec> many_;  // empty: one_
  std::size_t total_ = 0;
  bool good_ = true;
};

// The calling thread's private buffer; another one if that is in use (a signal handler's call).
class BulkBuffer {
 public:
  static constexpr std::size_t kBytes = std::size_t{1} << 20;
  BulkBuffer();
  ~BulkBuffer();
  BulkBuffer(const BulkBuffer&) = delete;
  BulkBuffer& operator=(const BulkBuffer&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  bool is_threads_own_;
};

// Fills the segments by `read(buffer, bytes, offset)`, which returns a count or -1. After a piece
// that was filled entirely the next one is read if `more`: where that cannot block, or the caller
// wants it.
template <typename Read>
ssize_t read_in_pieces(const Segments& segments, bool more, Read read) {
  const BulkBuffer buffer;
  std::size_t done = 0;
  for (;;) {
    const std::size_t wanted = std::min(segments.bytes() - done, BulkBuffer::kBytes);
    const ssize_t count = read(buffer.data(), wanted, done);
    const int call_errno = errno;
    if (count < 0) return done > 0 ? static_cast<ssize_t>(done) : count;
    // Some calls count what they would have liked to deliver (MSG_TRUNC).
    segments.scatter(done, buffer.data(), std::min(static_cast<std::size_t>(count), wanted));
    errno = call_errno;
    done += static_cast<std::size_t>(count);
    if (!more || static_cast<std::size_t>(count) != wanted || done >= segments.bytes()) break;
  }
  return static_cast<ssize_t>(done);
}

// Empties them by `write(buffer, bytes, offset)`, until all is written or a piece is written short.
template <typename Write>
ssize_t write_in_pieces(const Segments& segments, Write write) {
  const BulkBuffer buffer;
  std::size_t done = 0;
  do {
    const std::size_t wanted = std::min(segments.bytes() - done, BulkBuffer::kBytes);
    segments.gather(done, buffer.data(), wanted);
    const ssize_t count = write(buffer.data(), wanted, done);
    if (count < 0) return done > 0 ? static_cast<ssize_t>(done) : count;
    done += static_cast<std::size_t>(count);
    if (static_cast<std::size_t>(count) != wanted) break;
  } while (done < segments.bytes());
  return static_cast<ssize_t>(done);
}

}  // namespace weft::libc
