// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Critical sections: mutual exclusion and fresh data, for the unnamed one and for named ones, which
// do not exclude each other's threads from other data.

#include <omp.h>

#include "../check.h"

static long unnamed, red, blue;
static int inside_unnamed, inside_red;
static double history[64];

// Leaves time for another thread to come between a read and the write that follows it.
static long slowly_after(long value) {
  for (volatile int k = 0; k < 3000; ++k) {
  }
  return value + 1;
}

static void red_step(void) {
#pragma omp critical(red)
  {
    inside_red += 1;
    EXPECT(inside_red == 1, "%d threads are in the red section.", inside_red);
    red = red * 3 % 1000003 + 1;
    history[red % 64] += 1.0;
    inside_red -= 1;
  }
}

int main(void) {
  enum { kRounds = 40 };
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    if (round % 10 == 0) {
#pragma omp barrier
    }
#pragma omp critical
    {
      inside_unnamed += 1;
      EXPECT(inside_unnamed == 1, "%d threads are in the unnamed section.", inside_unnamed);
      unnamed = slowly_after(unnamed);
      inside_unnamed -= 1;
    }
    red_step();
#pragma omp critical(blue) hint(omp_sync_hint_contended)
    blue = slowly_after(blue) + 1;
  }
  const long n = omp_get_max_threads();
  EXPECT(unnamed == kRounds * n, "The unnamed count is %ld.", unnamed);
  EXPECT(blue == 2 * kRounds * n, "The blue count is %ld.", blue);
  long expected = 0;
  double total = 0;
  for (long i = 0; i < kRounds * n; ++i) expected = expected * 3 % 1000003 + 1;
  for (int i = 0; i < 64; ++i) total += history[i];
  EXPECT(red == expected, "The red chain is %ld, not %ld.", red, expected);
  EXPECT(total == (double)(kRounds * n), "The red history counts %g.", total);

  // A critical section inside of another.
  long nested = 0;
#pragma omp parallel
  for (int i = 0; i < 10; ++i) {
#pragma omp critical(outer)
    {
#pragma omp critical(inner)
      nested += 1;
    }
  }
  EXPECT(nested == 10 * n, "The nested count is %ld.", nested);
  return ok();
}
