// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// FILEs whose file the program has mapped MAP_SHARED (mapped_files.hpp). A FILE reads when its
// buffer is empty, and writes when it is full or flushed: what it then reads must be what memory
// holds, and what it writes must get there. So calls that may come to that are put between
//
//   StreamReads     memory is in the file, as far as the call may read
//   StreamWrites    what the file's position has moved over has been written, and is read again
//
// A stream of another node is flushed before and after each call, by messages.
//
// A call that the buffer can serve costs two comparisons, any call one load if nothing is mapped.
// C++'s file buffers need none of this: they make calls on descriptors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <optional>

#include "base/ids.hpp"
#include "libc/streams/stream_lock.hpp"

namespace weft::libc {

inline constexpr std::size_t kAnyBytes = SIZE_MAX;

// Before a call that reads up to so many bytes.
class StreamReads {
 public:
  StreamReads(FILE* stream, std::size_t bytes);
  StreamReads(const StreamReads&) = delete;
  StreamReads& operator=(const StreamReads&) = delete;

 private:
  std::optional<StreamLock> lock_;
};

// Around a call that writes up to so many bytes, and does not move the file's position otherwise.
class StreamWrites {
 public:
  StreamWrites(FILE* stream, std::size_t bytes);
  ~StreamWrites();
  StreamWrites(const StreamWrites&) = delete;
  StreamWrites& operator=(const StreamWrites&) = delete;

 private:
  void begin_elsewhere(NodeId owner, FILE* stream);

  std::optional<StreamLock> lock_;
  FILE* stream_ = nullptr;
  int file_ = -1;
  std::int64_t begin_ = 0;
};

// Before a call that closes the file: writes what is in the buffer.
void settle_stream(FILE* stream);
// Before one that moves the position, and may read there.
void settle_before_seek(FILE* stream);
// The bytes that a call may read which goes on to this one.
[[nodiscard]] std::size_t bytes_until(const FILE* stream, int delimiter);
// After a file has been opened so.
FILE* note_stream(FILE* stream, const char* mode);
// All streams of this node.
void settle_streams();

}  // namespace weft::libc
