// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops that call functions with loops in them, each of which uses too little to say so by itself.
// Compiled twice: as they are, and to say what they use, with -DSAYS.
#include "prefetches_calls.h"

#include "prefetched.h"

#ifdef SAYS
#define LOAD(x) said_(&(x))
#define STORE(x) stores_(&(x))
#define lines says_lines
#define by_address says_by_address
#define through_two says_through_two
#define sometimes says_sometimes
#define returns_early says_returns_early
#define until says_until
#else
#define LOAD(x) (x)
#define STORE(x) ((x) = 1)
#endif

enum { kLine = 120, kWidth = 300 };
static void nothing(void) { __asm__ volatile("" ::: "memory"); }

__attribute__((noinline)) static void line(double* a) {
  for (int i = 0; i < kLine; i++) STORE(a[2 * i]);
}
void lines(double* a, int n) {
  for (int j = n - 1; j >= 0; j--) line(a + (long)j * kWidth);
}

__attribute__((noinline)) static void line_at(double* a, const int* at) {
  for (int i = 0; i < kLine; i++) STORE(a[*at * kWidth + 2 * i]);
}
void by_address(double* a, int n) {
  for (int j = 0; j < n; j++) {
    const int at = j + 2;
    line_at(a, &at);
  }
}

__attribute__((noinline)) static double sum_of_line(const double* a) {
  double sum = 0;
  for (int i = 0; i < kLine; i++) sum += LOAD(a[2 * i]);
  return sum;
}
__attribute__((noinline)) static double sum_of_two(const double* a) {
  return sum_of_line(a) + sum_of_line(a + kWidth + 3);
}
double through_two(const double* a, int n) {
  double sum = 0;
  for (int j = 0; j < n / 2; j++) sum += sum_of_two(a + 2L * j * kWidth);
  return sum;
}

__attribute__((noinline)) static void line_if(double* a, int flag) {
  nothing();
  if (flag > 3)
    for (int i = 0; i < kLine; i++) STORE(a[2 * i]);
}
void sometimes(double* a, int n, int flag) {
  for (int j = 0; j < n; j++) line_if(a + (long)j * kWidth, flag);
}

__attribute__((noinline)) static void line_unless(double* a, int flag) {
  nothing();
  if (flag <= 3) return;
  nothing();
  for (int i = 0; i < kLine; i++) STORE(a[2 * i]);
}
void returns_early(double* a, int n, int flag) {
  for (int j = 0; j < n; j++) line_unless(a + (long)j * kWidth, flag);
}

__attribute__((noinline)) static void line_until(double* a, const int* length) {
  int i = 0;
  do {
    STORE(a[2 * i]);
    nothing();
  } while (++i < *length);
}
void until(double* a, int n, const int* length) {
  for (int j = 0; j < n; j++) line_until(a + (long)j * kWidth, length);
}
