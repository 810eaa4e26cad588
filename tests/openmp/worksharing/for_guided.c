// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// schedule(guided): every iteration runs once, and the chunks shrink in proportion to what is left
// of the whole loop, whichever threads of whichever nodes take them.

#include <omp.h>

#include "../check.h"

enum { kIterations = 4000 };

static int runner[kIterations];  // the thread that ran it
static int times[kIterations];

// Several chunks side by side that one thread took look like one, so sizes have a lower bound only.
static void check_sizes(int chunk, int threads) {
  for (int begin = 0, end; begin < kIterations; begin = end) {
    for (end = begin + 1; end < kIterations && runner[end] == runner[begin];) ++end;
    const int size = end - begin, left = kIterations - begin;
    EXPECT(size >= chunk || end == kIterations, "A chunk of %d, where %d is the least.", size,
           chunk);
    EXPECT(size + chunk >= left / (2 * threads), "A chunk of %d, where %d are left.", size, left);
  }
}

int main(void) {
  for (int chunk = 1; chunk < 20; chunk += 6) {
    int threads = 1;
    for (int i = 0; i < kIterations; ++i) times[i] = 0;
#pragma omp parallel
    {
#pragma omp single
      threads = omp_get_num_threads();
#pragma omp for schedule(guided, chunk)
      for (int i = 0; i < kIterations; ++i) {
        times[i] += 1;
        runner[i] = omp_get_thread_num();
      }
    }
    for (int i = 0; i < kIterations; ++i) {
      EXPECT(times[i] == 1, "Iteration %d ran %d times.", i, times[i]);
    }
    check_sizes(chunk, threads);
  }
  return ok();
}
