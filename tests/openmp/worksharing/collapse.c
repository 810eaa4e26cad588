// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Collapsed loops: rectangular ones of two and three levels, with strides, and triangular ones.

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kA = 13, kB = 7, kC = 5 };
static int runs[kA][kB][kC];

static void check_all_once(const char* what) {
  for (int a = 0; a < kA; ++a)
    for (int b = 0; b < kB; ++b)
      for (int c = 0; c < kC; ++c)
        EXPECT(runs[a][b][c] == 1, "%s: (%d, %d, %d) ran %d times.", what, a, b, c, runs[a][b][c]);
  memset(runs, 0, sizeof runs);
}

static void rectangular(void) {
#pragma omp parallel for collapse(3)
  for (int a = 0; a < kA; ++a)
    for (int b = 0; b < kB; ++b)
      for (int c = 0; c < kC; ++c) runs[a][b][c] += 1;
  check_all_once("static");
#pragma omp parallel for collapse(3) schedule(dynamic, 4)
  for (int a = kA - 1; a >= 0; --a)
    for (int b = 0; b < kB; ++b)
      for (int c = kC; c > 0; --c) runs[a][b][c - 1] += 1;
  check_all_once("dynamic, falling");
#pragma omp parallel for collapse(2) schedule(guided)
  for (long a = 0; a < kA; ++a)
    for (unsigned b = 0; b < kB; ++b)
      for (int c = 0; c < kC; ++c) runs[a][b][c] += 1;
  check_all_once("guided, mixed types");
}

static void triangular(void) {
  static int below[40][40];
#pragma omp parallel for collapse(2) schedule(static, 5)
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j <= i; ++j) below[i][j] += 1;
  for (int i = 0; i < 40; ++i)
    for (int j = 0; j < 40; ++j)
      EXPECT(below[i][j] == (j <= i), "(%d, %d) ran %d times.", i, j, below[i][j]);
}

static void empty(void) {
  const int none = omp_get_max_threads() - omp_get_max_threads();
  int count = 0;
#pragma omp parallel for collapse(2) reduction(+ : count)
  for (int i = 0; i < 10; ++i)
    for (int j = 0; j < none; ++j) count += 1;
#pragma omp parallel for collapse(2) reduction(+ : count) schedule(dynamic)
  for (int i = 5; i < 5; ++i)
    for (int j = 0; j < 10; ++j) count += 1;
  EXPECT(count == 0, "%d iterations of an empty loop ran.", count);
}

static void large(void) {
  unsigned long long sum = 0;
#pragma omp parallel for collapse(2) reduction(+ : sum) schedule(static)
  for (int i = 0; i < 300; ++i)
    for (int j = 0; j < 300; ++j) sum += (unsigned long long)i * 300 + j;
  EXPECT(sum == 90000ULL * 89999 / 2, "The sum is %llu.", sum);
}

int main(void) {
  rectangular();
  triangular();
  empty();
  large();
  return ok();
}
