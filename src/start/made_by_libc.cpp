// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// C library functions that return memory which the program frees. On a real SMP any thread may
// read a strdup'ed string; the C library's own memory is private to a node, so here the result is
// moved to memory of the program's allocator (which is __wrap_malloc, whoever defines it). On one
// node the two are the same, and the calls go straight through.
//
// The result is first made in the C library's memory and then copied: so every corner of getline
// and vasprintf is the C library's own, at the price of a copy.
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

#include "base/compiler_abi.h"
#include "start/visibility.hpp"

extern "C" {
int __vasprintf_chk(char** result, int flag, const char* format, va_list arguments);
char* __realpath_chk(const char* path, char* result, size_t size);
char* __getcwd_chk(char* buffer, size_t size, size_t buffer_size);
}

namespace {

// Moves `bytes` bytes of a block of the C library's into one of the program's.
void* move_to_program(void* made, size_t bytes) {
  if (made == nullptr || __weft_spans_nodes == 0) return made;
  void* moved = __wrap_malloc(bytes);
  if (moved != nullptr) memcpy(moved, made, bytes);
  free(made);
  if (moved == nullptr) errno = ENOMEM;
  return moved;
}

char* move_string(char* made) {
  return made == nullptr ? nullptr : static_cast<char*>(move_to_program(made, strlen(made) + 1));
}

int move_printed(char** result, int length) {
  if (length < 0) return length;
  *result = static_cast<char*>(move_to_program(*result, static_cast<size_t>(length) + 1));
  return *result == nullptr ? -1 : length;
}

ssize_t read_delimited(char** line, size_t* capacity, int delimiter, FILE* stream) {
  if (__weft_spans_nodes == 0) return getdelim(line, capacity, delimiter, stream);
  char* read = nullptr;
  size_t read_capacity = 0;
  if (line == nullptr || capacity == nullptr) {
    errno = EINVAL;
    return -1;
  }
  ssize_t length = getdelim(&read, &read_capacity, delimiter, stream);
  if (length >= 0) {
    const size_t needed = static_cast<size_t>(length) + 1;
    if (*line == nullptr || *capacity < needed) {
      const size_t grown = needed < 120 ? 120 : needed + needed / 2;
      void* larger = __wrap_realloc(*line, grown);
      if (larger == nullptr) {
        free(read);
        errno = ENOMEM;
        return -1;
      }
      *line = static_cast<char*>(larger);
      *capacity = grown;
    }
    memcpy(*line, read, needed);
  }
  free(read);
  return length;
}

}  // namespace

extern "C" {

WEFT_EXPORT char* __wrap_strdup(const char* string) {
  const size_t bytes = strlen(string) + 1;
  void* copy = __wrap_malloc(bytes);
  return copy == nullptr ? nullptr : static_cast<char*>(memcpy(copy, string, bytes));
}
WEFT_EXPORT char* __wrap___strdup(const char* string) { return __wrap_strdup(string); }

WEFT_EXPORT char* __wrap_strndup(const char* string, size_t limit) {
  const size_t length = strnlen(string, limit);
  char* copy = static_cast<char*>(__wrap_malloc(length + 1));
  if (copy == nullptr) return nullptr;
  copy[length] = '\0';
  return static_cast<char*>(memcpy(copy, string, length));
}
WEFT_EXPORT char* __wrap___strndup(const char* string, size_t limit) {
  return __wrap_strndup(string, limit);
}

WEFT_EXPORT wchar_t* __wrap_wcsdup(const wchar_t* string) {
  const size_t bytes = (wcslen(string) + 1) * sizeof(wchar_t);
  void* copy = __wrap_malloc(bytes);
  return copy == nullptr ? nullptr : static_cast<wchar_t*>(memcpy(copy, string, bytes));
}

WEFT_EXPORT int __wrap_vasprintf(char** result, const char* format, va_list arguments) {
  return move_printed(result, vasprintf(result, format, arguments));
}
WEFT_EXPORT int __wrap___vasprintf_chk(char** result, int flag, const char* format,
                                       va_list arguments) {
  return move_printed(result, __vasprintf_chk(result, flag, format, arguments));
}
WEFT_EXPORT int __wrap_asprintf(char** result, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = __wrap_vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}
WEFT_EXPORT int __wrap___asprintf(char** result, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = __wrap_vasprintf(result, format, arguments);
  va_end(arguments);
  return length;
}
WEFT_EXPORT int __wrap___asprintf_chk(char** result, int flag, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const int length = __wrap___vasprintf_chk(result, flag, format, arguments);
  va_end(arguments);
  return length;
}

WEFT_EXPORT ssize_t __wrap_getdelim(char** line, size_t* capacity, int delimiter, FILE* stream) {
  return read_delimited(line, capacity, delimiter, stream);
}
WEFT_EXPORT ssize_t __wrap___getdelim(char** line, size_t* capacity, int delimiter, FILE* stream) {
  return read_delimited(line, capacity, delimiter, stream);
}
WEFT_EXPORT ssize_t __wrap_getline(char** line, size_t* capacity, FILE* stream) {
  return read_delimited(line, capacity, '\n', stream);
}

WEFT_EXPORT char* __wrap_realpath(const char* path, char* result) {
  return result != nullptr ? realpath(path, result) : move_string(realpath(path, nullptr));
}
WEFT_EXPORT char* __wrap___realpath_chk(const char* path, char* result, size_t size) {
  return result != nullptr ? __realpath_chk(path, result, size)
                           : move_string(realpath(path, nullptr));
}
WEFT_EXPORT char* __wrap_canonicalize_file_name(const char* path) {
  return move_string(realpath(path, nullptr));
}

WEFT_EXPORT char* __wrap_getcwd(char* buffer, size_t size) {
  if (buffer != nullptr) return getcwd(buffer, size);
  char* made = getcwd(nullptr, size);
  if (made == nullptr) return nullptr;
  const size_t needed = strlen(made) + 1;
  return static_cast<char*>(move_to_program(made, size > needed ? size : needed));
}
WEFT_EXPORT char* __wrap___getcwd_chk(char* buffer, size_t size, size_t buffer_size) {
  return buffer != nullptr ? __getcwd_chk(buffer, size, buffer_size) : __wrap_getcwd(nullptr, size);
}
WEFT_EXPORT char* __wrap_get_current_dir_name(void) { return move_string(get_current_dir_name()); }

}  // extern "C"
