// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a program does with a FILE or a descriptor that another node has opened, beside what
// io_streams.cpp and io_read_write.cpp have. On files of this node each is the C library's own.
//
// Not here: wide characters, flockfile, and the inlined getc_unlocked and putc_unlocked. They find
// no memory at another node's FILE; runtime/services/file_service.cpp says so.
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>

#include "base/printed.hpp"
#include "libc/interposition/hooks.hpp"
#include "libc/interposition/io_bounce.hpp"
#include "libc/ownership/mapped_files.hpp"
#include "libc/ownership/owned_files.hpp"
#include "libc/streams/forwarding.hpp"
#include "libc/streams/mapped_streams.hpp"
#include "stacks/stacks.hpp"

// The header may make macros or inline functions of these.
#undef feof_unlocked
#undef ferror_unlocked
#undef getc_unlocked
#undef putc_unlocked
#undef fgetc_unlocked
#undef fputc_unlocked
#undef getchar_unlocked

extern "C" {
int _IO_getc(FILE*);
int _IO_putc(int, FILE*);
char* __fgets_chk(char*, std::size_t, int, FILE*);
ssize_t __getdelim(char**, std::size_t*, int, FILE*);
int __isoc99_vfscanf(FILE*, const char*, std::va_list);
[[noreturn]] void __chk_fail();
int __uflow(FILE*);
int __overflow(FILE*, int);
}

namespace weft::libc {
namespace {

constexpr int kEndSeen = 0x10;  // of FILE's flags: _IO_EOF_SEEN

template <typename... Numbers>
std::int64_t result_of(NodeId owner, FileOperation operation, std::uint64_t file,
                       Numbers... numbers) {
  return ask_for_number(owner, operation, file, static_cast<std::int64_t>(numbers)...);
}

int put_elsewhere(NodeId owner, int character, FILE* stream) {
  return on_runtime_stack([=]() -> int {
    const auto byte = static_cast<unsigned char>(character);
    return write_elsewhere(owner, stream, &byte, 1) == 1 ? byte : EOF;
  });
}

char* get_line_elsewhere(NodeId owner, char* to, int size, FILE* stream) {
  if (size <= 0) return nullptr;
  return on_runtime_stack([=]() -> char* {
    const FileAnswer answer =
        ask(owner, FileOperation::kReadLine, number_of(stream), size - 1, '\n');
    if (answer.bytes.empty() && size > 1) return nullptr;
    std::memcpy(to, answer.bytes.data(), answer.bytes.size());
    to[answer.bytes.size()] = '\0';
    return to;
  });
}

ssize_t get_delimited_elsewhere(NodeId owner, char** line, std::size_t* capacity, int delimiter,
                                FILE* stream) {
  constexpr std::int64_t kAtOnce = 4096;
  std::size_t length = 0;
  for (bool ended = false; !ended;) {
    const FileAnswer answer =
        ask(owner, FileOperation::kReadLine, number_of(stream), kAtOnce, delimiter);
    const std::size_t needed = length + answer.bytes.size() + 1;
    if (*line == nullptr || *capacity < needed) {
      auto* const larger = static_cast<char*>(realloc(*line, needed));
      if (larger == nullptr) return -1;
      *line = larger;
      *capacity = needed;
    }
    std::memcpy(*line + length, answer.bytes.data(), answer.bytes.size());
    length += answer.bytes.size();
    ended = answer.bytes.size() < kAtOnce || (*line)[length - 1] == static_cast<char>(delimiter);
  }
  (*line)[length] = '\0';
  return length == 0 ? -1 : static_cast<ssize_t>(length);
}

ssize_t get_delimited(char** line, std::size_t* capacity, int delimiter, FILE* stream) {
  const StreamReads reads(stream, bytes_until(stream, delimiter));
  if (const auto owner = other_owner(stream)) {
    return on_runtime_stack(
        [=] { return get_delimited_elsewhere(*owner, line, capacity, delimiter, stream); });
  }
  return WEFT_REAL(__getdelim)(line, capacity, delimiter, stream);
}

// The scanner reads from a stream of this node, which gets single characters from the owner. What
// it has read too much goes back there.
int scan_elsewhere(NodeId owner, FILE* stream, const char* format, std::va_list arguments) {
  struct Source {
    NodeId owner;
    FILE* stream;
  } source{owner, stream};
  cookie_io_functions_t functions = {};
  functions.read = [](void* cookie, char* to, std::size_t) -> ssize_t {
    const auto* from = static_cast<const Source*>(cookie);
    const std::int64_t got = result_of(from->owner, FileOperation::kGet, number_of(from->stream));
    if (got == EOF) return 0;
    *to = static_cast<char>(got);
    return 1;
  };
  FILE* const scanner = WEFT_REAL(fopencookie)(&source, "r", functions);
  if (scanner == nullptr) return EOF;
  WEFT_REAL(setvbuf)(scanner, nullptr, _IONBF, 0);
  const int result = WEFT_REAL(__isoc99_vfscanf)(scanner, format, arguments);
  while (scanner->_IO_read_end > scanner->_IO_read_ptr) {
    const auto last = static_cast<unsigned char>(*--scanner->_IO_read_end);
    result_of(owner, FileOperation::kUnget, number_of(stream), last);
  }
  WEFT_REAL(fclose)(scanner);
  return result;
}

int scan(FILE* stream, const char* format, std::va_list arguments) {
  const StreamReads reads(stream, kAnyBytes);
  if (const auto owner = other_owner(stream)) {
    return scan_elsewhere(*owner, stream, format, arguments);
  }
  return WEFT_REAL(__isoc99_vfscanf)(stream, format, arguments);
}

}  // namespace

// A function of a stream, and numbers, that the owner can be asked for as it is. `first` is done
// before, on any node.
#define WEFT_OF_STREAM(result, name, operation, parameters, names, numbers, first)           \
  WEFT_ENTRY(result, name, WEFT_LIST parameters) {                                           \
    first;                                                                                   \
    if (const auto owner = other_owner(stream)) {                                            \
      return static_cast<result>(                                                            \
          result_of(*owner, FileOperation::operation, number_of(stream) WEFT_LIST numbers)); \
    }                                                                                        \
    return WEFT_REAL(name) names;                                                            \
  }
#define WEFT_LIST(...) __VA_ARGS__

#define WEFT_GET(name) \
  WEFT_OF_STREAM(int, name, kGet, (FILE * stream), (stream), (), const StreamReads reads(stream, 1))
WEFT_GET(fgetc)
WEFT_GET(getc)
WEFT_GET(_IO_getc)
WEFT_GET(getc_unlocked)
WEFT_GET(fgetc_unlocked)

#define WEFT_ASK(result, name, operation) \
  WEFT_OF_STREAM(result, name, operation, (FILE * stream), (stream), (), )
WEFT_ASK(int, feof, kEnd)
WEFT_ASK(int, feof_unlocked, kEnd)
WEFT_ASK(int, ferror, kError)
WEFT_ASK(int, ferror_unlocked, kError)
WEFT_ASK(void, clearerr, kClearError)
WEFT_ASK(int, fileno, kDescriptor)
WEFT_ASK(long, ftell, kTell)
WEFT_ASK(off_t, ftello, kTell)
WEFT_ASK(off64_t, ftello64, kTell)

WEFT_OF_STREAM(int, ungetc, kUnget, (int c, FILE* stream), (c, stream), (, c), )
WEFT_OF_STREAM(void, rewind, kRewind, (FILE * stream), (stream), (), settle_before_seek(stream))
#define WEFT_SEEK(name, type)                                                              \
  WEFT_OF_STREAM(int, name, kSeek, (FILE * stream, type by, int from), (stream, by, from), \
                 (, by, from), settle_before_seek(stream))
WEFT_SEEK(fseek, long)
WEFT_SEEK(fseeko, off_t)
WEFT_SEEK(fseeko64, off64_t)

// All streams of this node, for null.
#define WEFT_FLUSH(name)                                                                    \
  WEFT_ENTRY(int, name, FILE* stream) {                                                     \
    const Printed printed(with_output(stream));                                             \
    if (stream == nullptr) settle_streams();                                                \
    const StreamWrites writes(stream, kAnyBytes);                                           \
    if (const auto owner = other_owner(stream)) {                                           \
      return static_cast<int>(result_of(*owner, FileOperation::kFlush, number_of(stream))); \
    }                                                                                       \
    return WEFT_REAL(name)(stream);                                                         \
  }
WEFT_FLUSH(fflush)
WEFT_FLUSH(fflush_unlocked)

#define WEFT_PUT(name)                                                                           \
  WEFT_ENTRY(int, name, int character, FILE* stream) {                                           \
    const Printed printed(stream);                                                               \
    const StreamWrites writes(stream, 1);                                                        \
    if (const auto owner = other_owner(stream)) return put_elsewhere(*owner, character, stream); \
    return WEFT_REAL(name)(character, stream);                                                   \
  }
WEFT_PUT(fputc)
WEFT_PUT(putc)
WEFT_PUT(_IO_putc)
WEFT_PUT(putc_unlocked)
WEFT_PUT(fputc_unlocked)

WEFT_ENTRY(char*, fgets, char* to, int size, FILE* stream) {
  const StreamReads reads(stream, bytes_until(stream, '\n'));
  if (const auto owner = other_owner(stream)) return get_line_elsewhere(*owner, to, size, stream);
  return WEFT_REAL(fgets)(to, size, stream);
}
WEFT_ENTRY(char*, fgets_unlocked, char* to, int size, FILE* stream) {
  const StreamReads reads(stream, bytes_until(stream, '\n'));
  if (const auto owner = other_owner(stream)) return get_line_elsewhere(*owner, to, size, stream);
  return WEFT_REAL(fgets_unlocked)(to, size, stream);
}
WEFT_ENTRY(char*, __fgets_chk, char* to, std::size_t capacity, int size, FILE* stream) {
  if (size > 0 && static_cast<std::size_t>(size) > capacity) __chk_fail();
  return weft_entry_fgets(to, size, stream);
}
WEFT_ENTRY(ssize_t, getdelim, char** line, std::size_t* capacity, int delimiter, FILE* stream) {
  return get_delimited(line, capacity, delimiter, stream);
}
WEFT_ENTRY(ssize_t, __getdelim, char** line, std::size_t* capacity, int delimiter, FILE* stream) {
  return get_delimited(line, capacity, delimiter, stream);
}
WEFT_ENTRY(ssize_t, getline, char** line, std::size_t* capacity, FILE* stream) {
  return get_delimited(line, capacity, '\n', stream);
}

WEFT_ENTRY(int, fgetpos, FILE* stream, fpos_t* position) {
  const auto owner = other_owner(stream);
  if (!owner) return WEFT_REAL(fgetpos)(stream, position);
  return ask_for_object(*owner, FileOperation::kGetPosition, number_of(stream), position);
}
WEFT_ENTRY(int, fsetpos, FILE* stream, const fpos_t* position) {
  settle_before_seek(stream);
  const auto owner = other_owner(stream);
  if (!owner) return WEFT_REAL(fsetpos)(stream, position);
  return on_runtime_stack([=] {
    const auto bytes = std::as_bytes(std::span(position, 1));
    const auto answer = ask(*owner, FileOperation::kSetPosition, number_of(stream), 0, 0, bytes);
    return static_cast<int>(answer.result);
  });
}

WEFT_ENTRY(int, vfscanf, FILE* stream, const char* format, std::va_list arguments) {
  return scan(stream, format, arguments);
}
WEFT_ENTRY(int, __isoc99_vfscanf, FILE* stream, const char* format, std::va_list arguments) {
  return scan(stream, format, arguments);
}
#define WEFT_SCAN(name)                                          \
  WEFT_ENTRY(int, name, FILE* stream, const char* format, ...) { \
    std::va_list arguments;                                      \
    va_start(arguments, format);                                 \
    const int result = scan(stream, format, arguments);          \
    va_end(arguments);                                           \
    return result;                                               \
  }
WEFT_SCAN(fscanf)
WEFT_SCAN(__isoc99_fscanf)

// --- standard input, which is node 0's ---

WEFT_ENTRY(int, getchar, void) { return weft_entry_getc(stdin); }
WEFT_ENTRY(int, getchar_unlocked, void) { return weft_entry_getc_unlocked(stdin); }

// What the inlined getc_unlocked and getchar_unlocked call: on other nodes the stream's buffer here
// is always empty, and the inlined feof_unlocked looks at the mark.
WEFT_ENTRY(int, __uflow, FILE* stream) {
  const StreamReads reads(stream, 1);
  const auto owner = other_owner(stream);
  if (!owner) return WEFT_REAL(__uflow)(stream);
  const auto got = static_cast<int>(result_of(*owner, FileOperation::kGet, number_of(stream)));
  if (got == EOF && stream == stdin) stream->_flags |= kEndSeen;
  return got;
}

// What the inlined putc_unlocked and putchar_unlocked call when the buffer is full.
WEFT_ENTRY(int, __overflow, FILE* stream, int character) {
  const StreamWrites writes(stream, kAnyBytes);
  return WEFT_REAL(__overflow)(stream, character);
}

WEFT_ENTRY(int, vscanf, const char* format, std::va_list arguments) {
  return scan(stdin, format, arguments);
}
WEFT_ENTRY(int, __isoc99_vscanf, const char* format, std::va_list arguments) {
  return scan(stdin, format, arguments);
}
#define WEFT_SCAN_INPUT(name)                          \
  WEFT_ENTRY(int, name, const char* format, ...) {     \
    std::va_list arguments;                            \
    va_start(arguments, format);                       \
    const int result = scan(stdin, format, arguments); \
    va_end(arguments);                                 \
    return result;                                     \
  }
WEFT_SCAN_INPUT(scanf)
WEFT_SCAN_INPUT(__isoc99_scanf)

// --- descriptors ---

WEFT_ENTRY(int, ftruncate, int fd, off_t length) {
  const MappedFiles* const mapped = mapped_files();
  const off_t before = mapped == nullptr ? -1 : mapped->length(fd);
  const int result = of_descriptor(FileOperation::kSetLength, WEFT_REAL(ftruncate), fd, length);
  if (result == 0 && mapped != nullptr) mapped->after_resize(fd, before, length);
  return result;
}
WEFT_ENTRY(int, ftruncate64, int fd, off64_t length) { return weft_entry_ftruncate(fd, length); }
WEFT_ENTRY(int, isatty, int fd) {
  return of_descriptor(FileOperation::kIsTerminal, WEFT_REAL(isatty), fd);
}

}  // namespace weft::libc
