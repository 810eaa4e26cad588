// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Streams, where they hand the program's memory on to the kernel: contents that are longer than the
// stream's buffer, and buffers that the program provides. What goes through the stream's own
// private buffer (fgets, getline, getc, fscanf, ...) needs nothing for that; io_elsewhere.cpp has
// those for streams of other nodes.
#include <unistd.h>
#include <cstdarg>
#include <cstdio>

#include "base/printed.hpp"
#include "libc/interposition/io_bulk.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "libc/streams/mapped_streams.hpp"
#include "libc/streams/stream_lock.hpp"
#include "stacks/stacks.hpp"

// The header may make macros of these.
#undef fread_unlocked
#undef fwrite_unlocked
#undef fputs_unlocked

extern "C" {
[[noreturn]] void __chk_fail();
int __vfprintf_chk(FILE*, int, const char*, std::va_list);
int __vdprintf_chk(int, int, const char*, std::va_list);
int __vasprintf_chk(char**, int, const char*, std::va_list);
}

namespace weft::libc {
namespace {

using ReadFunction = std::size_t(void*, std::size_t, std::size_t, FILE*);
using WriteFunction = std::size_t(const void*, std::size_t, std::size_t, FILE*);

// Whole items, as fread and fwrite count them.
template <typename Transfer>
std::size_t items(std::size_t size, std::size_t count, Transfer transfer) {
  std::size_t bytes = 0;
  if (size == 0 || count == 0 || __builtin_mul_overflow(size, count, &bytes)) return 0;
  return static_cast<std::size_t>(transfer(bytes)) / size;
}

std::size_t bytes_of_items(std::size_t size, std::size_t count) {
  std::size_t bytes = 0;
  return __builtin_mul_overflow(size, count, &bytes) ? kAnyBytes : bytes;
}

// The node, if a call on the stream cannot simply be made.
const Hooks* node_for(const FILE* stream) { return other_owner(stream) ? hooks() : io_node(); }

std::size_t read_some(ReadFunction* real, void* to, std::size_t bytes, FILE* stream) {
  const auto owner = other_owner(stream);
  return owner ? read_elsewhere(*owner, stream, to, bytes) : real(to, 1, bytes, stream);
}

std::size_t write_some(WriteFunction* real, const void* from, std::size_t bytes, FILE* stream) {
  const auto owner = other_owner(stream);
  return owner ? write_elsewhere(*owner, stream, from, bytes) : real(from, 1, bytes, stream);
}

std::size_t read_items(ReadFunction* real, void* to, std::size_t size, std::size_t count,
                       FILE* stream) {
  const StreamReads reads(stream, bytes_of_items(size, count));
  const Hooks* const node = node_for(stream);
  if (node == nullptr) return real(to, size, count, stream);
  return on_runtime_stack([=] {
    if (!other_owner(stream) && !node->is_shared(to)) return real(to, size, count, stream);
    return items(size, count, [=](std::size_t bytes) {
      return read_in_pieces(Segments(to, bytes), true, [=](void* p, std::size_t n, std::size_t) {
        return static_cast<ssize_t>(read_some(real, p, n, stream));
      });
    });
  });
}

std::size_t write_items(WriteFunction* real, const void* from, std::size_t size, std::size_t count,
                        FILE* stream) {
  const Printed printed(stream);
  const StreamWrites writes(stream, bytes_of_items(size, count));
  const Hooks* const node = node_for(stream);
  if (node == nullptr) return real(from, size, count, stream);
  return on_runtime_stack([=] {
    if (!other_owner(stream) && !node->is_shared(from)) return real(from, size, count, stream);
    return items(size, count, [=](std::size_t bytes) {
      return write_in_pieces(Segments(from, bytes), [=](void* p, std::size_t n, std::size_t) {
        return static_cast<ssize_t>(write_some(real, p, n, stream));
      });
    });
  });
}

// fputs writes what fwrite writes.
int put_string(WriteFunction* real, const char* string, FILE* stream) {
  const std::size_t length = std::strlen(string);
  return write_items(real, string, 1, length, stream) == length ? 1 : EOF;
}

// Formats into private memory, since a %s may be long, and hands the result to `put(text, length)`.
// Negative if either fails.
template <typename Put>
int formatted(int flag, const char* format, std::va_list arguments, Put put) {
  struct List {
    std::va_list list;
  } copy;
  va_copy(copy.list, arguments);
  const int result = on_runtime_stack([&] {
    char* made = nullptr;
    const int length = __vasprintf_chk(&made, flag, format, copy.list);
    if (length < 0) return length;
    const bool good = put(made, static_cast<std::size_t>(length));
    const int call_errno = errno;
    real_free(made);
    errno = call_errno;
    return good ? length : -1;
  });
  va_end(copy.list);
  return result;
}

// `flag` is that of _FORTIFY_SOURCE: 0 without.
int print(FILE* stream, int flag, const char* format, std::va_list arguments) {
  const Printed printed(stream);
  const StreamWrites writes(stream, kAnyBytes);
  const Hooks* const node = node_for(stream);
  if (node == nullptr) {
    if (flag > 0) return WEFT_REAL(__vfprintf_chk)(stream, flag, format, arguments);
    return WEFT_REAL(vfprintf)(stream, format, arguments);
  }
  return formatted(flag, format, arguments, [stream](const char* made, std::size_t length) {
    return write_some(WEFT_REAL(fwrite), made, length, stream) == length;
  });
}

int print(int descriptor, int flag, const char* format, std::va_list arguments) {
  const Printed printed(descriptor);
  const Hooks* const node = other_owner(descriptor) ? hooks() : io_node();
  if (node == nullptr) {
    if (flag > 0) return WEFT_REAL(__vdprintf_chk)(descriptor, flag, format, arguments);
    return WEFT_REAL(vdprintf)(descriptor, format, arguments);
  }
  return formatted(flag, format, arguments, [=](const char* made, std::size_t length) {
    while (length > 0) {
      const ssize_t count = transfer_out(descriptor, made, length);
      if (count < 0) return false;
      made += count;
      length -= static_cast<std::size_t>(count);
    }
    return true;
  });
}

}  // namespace

WEFT_ENTRY(std::size_t, fread, void* p, std::size_t size, std::size_t n, FILE* f) {
  return read_items(WEFT_REAL(fread), p, size, n, f);
}
WEFT_ENTRY(std::size_t, fread_unlocked, void* p, std::size_t size, std::size_t n, FILE* f) {
  return read_items(WEFT_REAL(fread_unlocked), p, size, n, f);
}
WEFT_ENTRY(std::size_t, __fread_chk, void* p, std::size_t capacity, std::size_t size, std::size_t n,
           FILE* f) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(size, n, &bytes) || bytes > capacity) __chk_fail();
  return read_items(WEFT_REAL(fread), p, size, n, f);
}
WEFT_ENTRY(std::size_t, __fread_unlocked_chk, void* p, std::size_t capacity, std::size_t size,
           std::size_t n, FILE* f) {
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(size, n, &bytes) || bytes > capacity) __chk_fail();
  return read_items(WEFT_REAL(fread_unlocked), p, size, n, f);
}
WEFT_ENTRY(std::size_t, fwrite, const void* p, std::size_t size, std::size_t n, FILE* f) {
  return write_items(WEFT_REAL(fwrite), p, size, n, f);
}
WEFT_ENTRY(std::size_t, fwrite_unlocked, const void* p, std::size_t size, std::size_t n, FILE* f) {
  return write_items(WEFT_REAL(fwrite_unlocked), p, size, n, f);
}

WEFT_ENTRY(int, fputs, const char* string, FILE* stream) {
  const Printed printed(stream);
  const StreamWrites writes(stream, kAnyBytes);
  if (node_for(stream) == nullptr) return WEFT_REAL(fputs)(string, stream);
  return put_string(WEFT_REAL(fwrite), string, stream);
}
WEFT_ENTRY(int, fputs_unlocked, const char* string, FILE* stream) {
  const Printed printed(stream);
  const StreamWrites writes(stream, kAnyBytes);
  if (node_for(stream) == nullptr) return WEFT_REAL(fputs_unlocked)(string, stream);
  return put_string(WEFT_REAL(fwrite_unlocked), string, stream);
}
WEFT_ENTRY(int, puts, const char* string) {
  const Printed printed(stdout);
  if (io_node() == nullptr) return WEFT_REAL(puts)(string);
  const StreamLock lock(stdout);
  const int result = put_string(WEFT_REAL(fwrite), string, stdout);
  return result >= 0 && putc_unlocked('\n', stdout) == EOF ? EOF : result;
}

WEFT_ENTRY(int, vfprintf, FILE* stream, const char* format, std::va_list arguments) {
  return print(stream, 0, format, arguments);
}
WEFT_ENTRY(int, vprintf, const char* format, std::va_list arguments) {
  return print(stdout, 0, format, arguments);
}
WEFT_ENTRY(int, vdprintf, int descriptor, const char* format, std::va_list arguments) {
  return print(descriptor, 0, format, arguments);
}
WEFT_ENTRY(int, __vfprintf_chk, FILE* stream, int flag, const char* format,
           std::va_list arguments) {
  return print(stream, flag, format, arguments);
}
WEFT_ENTRY(int, __vprintf_chk, int flag, const char* format, std::va_list arguments) {
  return print(stdout, flag, format, arguments);
}
WEFT_ENTRY(int, __vdprintf_chk, int descriptor, int flag, const char* format,
           std::va_list arguments) {
  return print(descriptor, flag, format, arguments);
}

// The forms with "..." after `format`.
#define WEFT_PRINT(where, flag)                             \
  std::va_list arguments;                                   \
  va_start(arguments, format);                              \
  const int result = print(where, flag, format, arguments); \
  va_end(arguments);                                        \
  return result

WEFT_ENTRY(int, printf, const char* format, ...) { WEFT_PRINT(stdout, 0); }
WEFT_ENTRY(int, fprintf, FILE* stream, const char* format, ...) { WEFT_PRINT(stream, 0); }
WEFT_ENTRY(int, dprintf, int descriptor, const char* format, ...) { WEFT_PRINT(descriptor, 0); }
WEFT_ENTRY(int, __printf_chk, int flag, const char* format, ...) { WEFT_PRINT(stdout, flag); }
WEFT_ENTRY(int, __fprintf_chk, FILE* stream, int flag, const char* format, ...) {
  WEFT_PRINT(stream, flag);
}
WEFT_ENTRY(int, __dprintf_chk, int descriptor, int flag, const char* format, ...) {
  WEFT_PRINT(descriptor, flag);
}

// A stream's buffer must be private: the stream makes its own instead of a shared one.
WEFT_ENTRY(int, setvbuf, FILE* stream, char* buffer, int mode, std::size_t size) {
  if (const auto owner = other_owner(stream)) {
    return static_cast<int>(ask_for_number(*owner, FileOperation::kSetBuffer, number_of(stream),
                                           mode, static_cast<std::int64_t>(size)));
  }
  const Hooks* const node = io_node();
  if (node != nullptr && node->is_shared(buffer)) buffer = nullptr;
  return WEFT_REAL(setvbuf)(stream, buffer, mode, size);
}
WEFT_ENTRY(void, setbuffer, FILE* stream, char* buffer, std::size_t size) {
  weft_entry_setvbuf(stream, buffer, buffer == nullptr ? _IONBF : _IOFBF, size);
}
WEFT_ENTRY(void, setbuf, FILE* stream, char* buffer) {
  weft_entry_setbuffer(stream, buffer, BUFSIZ);
}

}  // namespace weft::libc
