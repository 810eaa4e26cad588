// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flags: -fopenmp-version=52
// Directives that leave little or nothing to the runtime: they are as good across nodes as the
// constructs that the compiler makes of them.

#include <omp.h>

#include "../check.h"

enum { kSide = 60 };

static int grid[kSide][kSide];

static void each(int value, const char* what) {
  for (int i = 0; i < kSide; ++i) {
    for (int j = 0; j < kSide; ++j) {
      EXPECT(grid[i][j] == value, "%s: (%d, %d) is %d.", what, i, j, grid[i][j]);
    }
  }
}

static void loops(void) {
#pragma omp parallel
  {
#pragma omp loop bind(parallel)
    for (int i = 0; i < kSide; ++i)
      for (int j = 0; j < kSide; ++j) grid[i][j] = 1;
  }
  each(1, "loop");
#pragma omp parallel for simd collapse(2) simdlen(4) order(concurrent)
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) grid[i][j] += 1;
  each(2, "for simd");
#pragma omp parallel for
#pragma omp tile sizes(7, 5)
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) grid[i][j] += 1;
  each(3, "tile");
#pragma omp parallel for
#pragma omp unroll partial(4)
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) grid[i][j] += 1;
  each(4, "unroll");
#pragma omp teams loop
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) grid[i][j] += 1;
  each(5, "teams loop");
}

static void scopes(void) {
  int sum = 0, threads = 0;
#pragma omp parallel
  {
#pragma omp scope reduction(+ : sum)
    sum += 2;
#pragma omp masked
    threads = omp_get_num_threads();
  }
  EXPECT(sum == 2 * threads, "%d threads summed to %d.", threads, sum);
}

static int chosen(void) { return 1; }
static int variant(void) { return 2; }
#pragma omp declare variant(variant) match(construct = {parallel})
static int base(void) { return chosen(); }

static void choices(void) {
  int wrong = 0;
#pragma omp metadirective when(user = {condition(1)} : parallel for reduction(+ : wrong)) default( \
        for)
  for (int i = 0; i < kSide; ++i) wrong += base() != 1 && base() != 2;
  EXPECT(wrong == 0, "%d calls went astray.", wrong);
#pragma omp assume holds(wrong == 0)
  {
#pragma omp nothing
    EXPECT(base() == 1, "Outside, the base function is %d.", base());
  }
}

int main(void) {
  loops();
  scopes();
  choices();
  return ok();
}
