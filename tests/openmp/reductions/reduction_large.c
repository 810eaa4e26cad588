// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions of megabytes: array sections of variable and of constant length, in waiting reductions
// and at a region's end, several at once, and with plain variables beside them.

#include <omp.h>
#include <stdlib.h>

#include "../check.h"

enum { kCount = 300000, kRows = 40, kColumns = 500, kSteps = 64 };

static void at_the_end(double* sums, int n) {
  long steps = 0;
#pragma omp parallel for reduction(+ : sums[0 : n], steps)
  for (int step = 0; step < kSteps; ++step) {
    for (int i = 0; i < n; ++i) sums[i] += i % 1000 + step;
    ++steps;
  }
  EXPECT(steps == kSteps, "There were %ld steps.", steps);
}

static void check(const double* sums, int n, int times, const char* where) {
  for (int i = 0; i < n; ++i) {
    const double expected = times * (kSteps * (i % 1000) + kSteps * (kSteps - 1) / 2.0);
    EXPECT(sums[i] == expected, "%s, sum %d is %g, not %g.", where, i, sums[i], expected);
  }
}

// All threads see the sums behind the reduction's barrier.
static void with_a_wait(double* sums, int n) {
#pragma omp parallel
  {
    for (int round = 1; round <= 2; ++round) {
#pragma omp for reduction(+ : sums[0 : n]) schedule(dynamic)
      for (int step = 0; step < kSteps; ++step)
        for (int i = 0; i < n; ++i) sums[i] += i % 1000 + step;
      check(sums, n, round, "Behind the loop");
#pragma omp barrier
    }
  }
}

static void of_rows(int rows) {
  static int table[kRows][kColumns];
  int (*section)[kColumns] = table;
#pragma omp parallel for reduction(+ : section[0 : rows][0 : kColumns])
  for (int step = 0; step < kSteps; ++step)
    for (int row = 0; row < rows; ++row)
      for (int column = 0; column < kColumns; ++column) section[row][column] += row * column;
  for (int row = 0; row < kRows; ++row)
    for (int column = 0; column < kColumns; ++column) {
      const int expected = row < rows ? kSteps * row * column : 0;
      EXPECT(table[row][column] == expected, "At %d, %d is %d.", row, column, table[row][column]);
    }
}

static void of_a_part(void) {
  static long numbers[1000];
#pragma omp parallel for reduction(max : numbers[100 : 800])
  for (int step = 0; step < 5000; ++step) {
    long* most = &numbers[100 + step % 800];
    if (*most < step) *most = step;
  }
  for (int i = 0; i < 1000; ++i) {
    const int last = i < 300 ? 4800 + i - 100 : 4000 + i - 100;
    const long expected = i < 100 || i >= 900 ? 0 : last;
    EXPECT(numbers[i] == expected, "The largest of %d is %ld, not %ld.", i, numbers[i], expected);
  }
}

int main(void) {
  double* sums = calloc(kCount, sizeof *sums);
  at_the_end(sums, kCount);
  check(sums, kCount, 1, "At the end");
  for (int i = 0; i < kCount; ++i) sums[i] = 0;
  with_a_wait(sums, kCount / 2);
  check(sums, kCount / 2, 2, "After the region");
  of_rows(kRows);
  of_a_part();
  free(sums);
  return ok();
}
