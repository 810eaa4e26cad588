// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the programs of this folder check themselves: the first thing that is wrong ends the program,
// whichever thread finds it, with a sentence and status 1. Exit handlers are left out, because
// another thread may be anywhere.

#ifndef TESTS_OPENMP_CHECK_H
#define TESTS_OPENMP_CHECK_H

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

__attribute__((noreturn, format(printf, 3, 4), unused)) static void fail(const char* file, int line,
                                                                         const char* format, ...) {
  char sentence[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  fprintf(stderr, "%s:%d: %s\n", file, line, sentence);
  fflush(stderr);
  _Exit(1);
}

// EXPECT(condition, format, ...): the sentence says what was found instead.
#define EXPECT(condition, ...)                               \
  do {                                                       \
    if (!(condition)) fail(__FILE__, __LINE__, __VA_ARGS__); \
  } while (0)

__attribute__((unused)) static int ok(void) {
  printf("ok\n");
  return 0;
}

#endif
