// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// atomic capture, in both orders and as a swap: every captured value is taken exactly once.

#include <omp.h>
#include <stdint.h>

#include "../check.h"

enum { kRounds = 30, kMost = 1024 * kRounds };
static unsigned char taken[kMost + 1];

static void all_taken_once(int from, int to, const char* what) {
  for (int i = from; i < to; ++i) {
    EXPECT(taken[i] == 1, "%s: value %d was taken %d times.", what, i, taken[i]);
    taken[i] = 0;
  }
}

static void mark(long value) {
  EXPECT(value >= 0 && value <= kMost, "The captured value is %ld.", value);
#pragma omp atomic
  taken[value] += 1;
}

static void tickets(int total) {
  long next = 0, after = 0;
  int16_t narrow = 0;
  double real = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    long mine;
#pragma omp atomic capture
    mine = next++;
    mark(mine);
  }
  all_taken_once(0, total, "postfix");
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    long mine;
#pragma omp atomic capture
    {
      after += 1;
      mine = after;
    }
    mark(mine);
  }
  all_taken_once(1, total + 1, "update first");
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    int16_t mine;
#pragma omp atomic capture seq_cst
    {
      mine = narrow;
      narrow = narrow + 1;
    }
    mark(mine);
  }
  all_taken_once(0, total, "16 bits");
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    double mine;
#pragma omp atomic capture acq_rel
    mine = real += 1;
    mark((long)mine);
  }
  all_taken_once(1, total + 1, "double");
}

// A swap hands each value on: none is lost and none is doubled.
static void swaps(int total) {
  long held = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    const long mine = 1 + omp_get_thread_num() * kRounds + round;
    long before;
#pragma omp atomic capture
    {
      before = held;
      held = mine;
    }
    mark(before);
  }
  mark(held);
  all_taken_once(0, total + 1, "swap");
}

int main(void) {
  const int total = kRounds * omp_get_max_threads();
  EXPECT(total < 32000, "This test is for fewer threads.");
  tickets(total);
  swaps(total);
  return ok();
}
