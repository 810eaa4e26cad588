// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// open_memstream whose text is in the program's memory (__wrap_malloc), so that every node can read
// what one has written there. The C library's own keeps it in memory private to the node.
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

namespace {

struct MemoryStream {
  char** text;  // the program's variables, right after each flush and close (POSIX)
  size_t* size;
  char* buffer = nullptr;
  size_t capacity = 0;
  size_t length = 0;  // bytes written so far, without the terminating zero
  size_t position = 0;
};

bool reserve(MemoryStream& stream, size_t bytes) {
  if (bytes < stream.capacity) return true;
  const size_t grown = bytes + bytes / 2 + 64;
  char* larger = static_cast<char*>(__wrap_realloc(stream.buffer, grown));
  if (larger == nullptr) return false;
  memset(larger + stream.capacity, 0, grown - stream.capacity);
  stream.buffer = larger;
  stream.capacity = grown;
  return true;
}

void publish(const MemoryStream& stream) {
  *stream.text = stream.buffer;
  *stream.size = stream.position < stream.length ? stream.position : stream.length;
}

ssize_t write_stream(void* cookie, const char* bytes, size_t count) {
  MemoryStream& stream = *static_cast<MemoryStream*>(cookie);
  const size_t end = stream.position + count;
  if (!reserve(stream, end)) {
    errno = ENOMEM;
    return 0;
  }
  memcpy(stream.buffer + stream.position, bytes, count);
  stream.position = end;
  if (end > stream.length) {
    stream.length = end;
    stream.buffer[end] = '\0';
  }
  publish(stream);
  return static_cast<ssize_t>(count);
}

int seek_stream(void* cookie, off64_t* offset, int whence) {
  MemoryStream& stream = *static_cast<MemoryStream*>(cookie);
  off64_t base = 0;
  if (whence == SEEK_CUR) base = static_cast<off64_t>(stream.position);
  if (whence == SEEK_END) base = static_cast<off64_t>(stream.length);
  if (base + *offset < 0) {
    errno = EINVAL;
    return -1;
  }
  *offset += base;
  stream.position = static_cast<size_t>(*offset);
  publish(stream);
  return 0;
}

int close_stream(void* cookie) {
  publish(*static_cast<MemoryStream*>(cookie));
  free(cookie);
  return 0;
}

}  // namespace

extern "C" WEFT_EXPORT FILE* __wrap_open_memstream(char** text, size_t* size) {
  if (__weft_spans_nodes == 0) return open_memstream(text, size);
  void* memory = malloc(sizeof(MemoryStream));
  if (memory == nullptr) return nullptr;
  auto* stream = static_cast<MemoryStream*>(memory);
  *stream = MemoryStream{text, size};
  FILE* file = reserve(*stream, 1) ? fopencookie(stream, "w",
                                                 {.read = nullptr,
                                                  .write = write_stream,
                                                  .seek = seek_stream,
                                                  .close = close_stream})
                                   : nullptr;
  if (file == nullptr) {
    __wrap_free(stream->buffer);
    free(stream);
  } else {
    publish(*stream);
  }
  return file;
}
