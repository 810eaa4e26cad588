// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A thread inside a `single nowait` may wait for what threads do that have gone on: the first of them
// that comes to the next such construct executes it.

#include <omp.h>

#include "../check.h"

enum { kRounds = 50 };

// All threads but one are inside constructs of their own at the same time.
static void fill_up(void) {
  int inside = 0;
  int threads = 0;
#pragma omp parallel
  {
    const int size = omp_get_num_threads();
    for (int i = 0; i < size; ++i) {
#pragma omp single nowait
      {
        int now;
#pragma omp atomic update
        ++inside;
        do {
#pragma omp atomic read
          now = inside;
        } while (now < size);
#pragma omp atomic update
        ++threads;
      }
    }
  }
  EXPECT(inside == threads, "%d threads were inside and %d came out.", inside, threads);
}

// One thread waits inside the first for the flag of a second one, behind which all wait.
static void wait_for_a_waiting_one(void) {
  int flag = 0, data = 0, seen = 0;
#pragma omp parallel
  if (omp_get_num_threads() > 1) {
#pragma omp single nowait
    {
      int there;
      do {
#pragma omp atomic read acquire
        there = flag;
      } while (there == 0);
      seen = data;
    }
#pragma omp single
    {
      data = 5;
#pragma omp atomic write release
      flag = 1;
    }
  } else {
    seen = 5;
  }
  EXPECT(seen == 5, "It saw %d.", seen);
}

// The same with constructs that follow each other without a wait.
static void wait_for_the_next(void) {
  for (int round = 0; round < kRounds; ++round) {
    int flag = 0, data = 0, seen = 0;
#pragma omp parallel
    if (omp_get_num_threads() > 1) {
#pragma omp single nowait
      {
        int there;
        do {
#pragma omp atomic read acquire
          there = flag;
        } while (there == 0);
        seen = data;
      }
#pragma omp single nowait
      {
        data = round + 7;
#pragma omp atomic write release
        flag = 1;
      }
    } else {
      seen = round + 7;
    }
    EXPECT(seen == round + 7, "Round %d saw %d.", round, seen);
  }
}

// Each runs once, whoever executes it.
static void each_once(void) {
  int runs[kRounds] = {0};
#pragma omp parallel
  {
    for (int round = 0; round < kRounds; ++round) {
#pragma omp single nowait
      {
#pragma omp atomic update
        ++runs[round];
      }
    }
#pragma omp single
    for (int round = 0; round + 1 < kRounds; ++round) {
      int count;
#pragma omp atomic read
      count = runs[round];
      EXPECT(count <= 1, "Construct %d ran %d times.", round, count);
    }
  }
  for (int round = 0; round < kRounds; ++round) {
    EXPECT(runs[round] == 1, "Construct %d ran %d times.", round, runs[round]);
  }
}

int main(void) {
  fill_up();
  wait_for_a_waiting_one();
  wait_for_the_next();
  each_once();
  return ok();
}
