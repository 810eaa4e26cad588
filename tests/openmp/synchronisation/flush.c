// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data handed over through a flag: with atomics and flush, with release and acquire, and in a ring.

#include <omp.h>

#include "../check.h"

static int data, flag;
static int ring[1024], turn;

static void classic(void) {
#pragma omp parallel num_threads(2)
  {
    if (omp_get_num_threads() == 2) {
      if (omp_get_thread_num() == 0) {
        data = 42;
#pragma omp flush
#pragma omp atomic write
        flag = 1;
#pragma omp flush
      } else {
        int seen = 0;
        while (!seen) {
#pragma omp flush
#pragma omp atomic read
          seen = flag;
        }
#pragma omp flush
        EXPECT(data == 42, "After the flag the data are %d.", data);
      }
    }
  }
}

// Each thread waits for its turn, adds to everything before it, and passes on.
static void around_the_ring(void) {
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    int now;
    do {
#pragma omp atomic read acquire
      now = turn;
    } while (now != me);
    ring[me] = me == 0 ? 1 : ring[me - 1] + 2;
#pragma omp atomic write release
    turn = me + 1;
  }
  for (int t = 0; t < omp_get_max_threads(); ++t)
    EXPECT(ring[t] == 2 * t + 1, "ring[%d] is %d.", t, ring[t]);
}

static void sequential(void) {
  int wins = 0, x = 0, y = 0;
  for (int round = 0; round < 20; ++round) {
    int r0 = 0, r1 = 0;
    x = y = 0;
#pragma omp parallel num_threads(2) shared(r0, r1, x, y)
    {
      if (omp_get_thread_num() == 0) {
#pragma omp atomic write seq_cst
        x = 1;
#pragma omp atomic read seq_cst
        r0 = y;
      } else {
#pragma omp atomic write seq_cst
        y = 1;
#pragma omp atomic read seq_cst
        r1 = x;
      }
      if (omp_get_num_threads() == 1) r1 = 1;
    }
    wins += r0 || r1;
  }
  EXPECT(wins == 20, "In %d of 20 rounds both threads saw the old value.", 20 - wins);
}

int main(void) {
  classic();
  around_the_ring();
  sequential();
  return ok();
}
