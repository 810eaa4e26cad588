// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops whose iterations wait for others: in one dimension, in two, downwards, with every schedule.

#include <omp.h>

#include "check.h"

enum { kLength = 60, kSide = 14 };

static long line[kLength];
static long grid[kSide][kSide];

static void in_one_dimension(void) {
  for (int round = 0; round < 3; ++round) {
    line[0] = 1;
#pragma omp parallel
    {
#pragma omp for ordered(1) schedule(static, 1) nowait
      for (int i = 1; i < kLength; ++i) {
#pragma omp ordered depend(sink : i - 1)
        line[i] = line[i - 1] + i;
#pragma omp ordered depend(source)
      }
    }
    for (int i = 1; i < kLength; ++i) {
      EXPECT(line[i] == line[i - 1] + i, "Element %d is %ld.", i, line[i]);
    }
  }
}

static void downwards_by_dynamic(void) {
  line[kLength - 1] = 1;
#pragma omp parallel for ordered(1) schedule(dynamic, 2)
  for (int i = kLength - 2; i >= 0; i -= 1) {
#pragma omp ordered depend(sink : i + 1)
    line[i] = line[i + 1] + 2;
#pragma omp ordered depend(source)
  }
  EXPECT(line[0] == 1 + 2 * (kLength - 1), "The sum is %ld.", line[0]);
}

static void in_two_dimensions(void) {
  for (int i = 0; i < kSide; ++i) grid[i][0] = grid[0][i] = 1;
#pragma omp parallel for ordered(2) schedule(static, 1)
  for (int i = 1; i < kSide; ++i) {
    for (int j = 1; j < kSide; ++j) {
#pragma omp ordered depend(sink : i - 1, j) depend(sink : i, j - 1)
      grid[i][j] = (grid[i - 1][j] + grid[i][j - 1]) % 1000003;
#pragma omp ordered depend(source)
    }
  }
  for (int i = 1; i < kSide; ++i) {
    for (int j = 1; j < kSide; ++j) {
      EXPECT(grid[i][j] == (grid[i - 1][j] + grid[i][j - 1]) % 1000003, "(%d, %d) is %ld.", i, j,
             grid[i][j]);
    }
  }
}

int main(void) {
  in_one_dimension();
  downwards_by_dynamic();
  in_two_dimensions();
  return ok();
}
