// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flags: -O2
//
// Variables that a region only reads have the value of the moment in which it begins, whoever wrote
// them before: this thread, threads of other nodes in a region, or a function that got the address.

#include <omp.h>

#include "../check.h"

enum { kRounds = 50, kItems = 1000 };

struct Shape {
  long first, last;
  const long* table;
};

static long items[kItems];

static __attribute__((noinline)) void advance(struct Shape* shape) {
  shape->first += 1;
  shape->last -= 1;
}

// As a time step does: both arrays and the bounds change between regions.
static void swapped(void) {
  static long one[kItems], other[kItems];
  long *from = one, *to = other;
  for (int i = 0; i < kItems; ++i) from[i] = i;
  for (int round = 0; round < kRounds; ++round) {
#pragma omp parallel for
    for (int i = round; i < kItems; ++i) to[i] = from[i] + round;
    long* const next = from;
    from = to;
    to = next;
  }
  EXPECT(from[kItems - 1] == kItems - 1 + kRounds * (kRounds - 1) / 2, "The last item is %ld.",
         from[kItems - 1]);
}

static void structure(void) {
  struct Shape shape = {0, kItems, items};
  for (int i = 0; i < kItems; ++i) items[i] = i;
  for (int round = 0; round < kRounds; ++round) {
    advance(&shape);
    long sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (long i = 0; i < kItems; ++i)
      sum += i >= shape.first && i < shape.last ? shape.table[i] : 0;
    long expected = 0;
    for (long i = round + 1; i < kItems - round - 1; ++i) expected += i;
    EXPECT(sum == expected, "Round %d: %ld, not %ld.", round, sum, expected);
  }
}

// The last thread writes it, in a region between those that read it.
static void written_by_others(void) {
  long value = 0;
  for (int round = 1; round <= kRounds; ++round) {
#pragma omp parallel
    {
      if (omp_get_thread_num() == omp_get_num_threads() - 1) value += round;
    }
    const long expected = (long)round * (round + 1) / 2;
    int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
    wrong += value != expected;
    EXPECT(wrong == 0, "Round %d: %d threads saw another value.", round, wrong);
  }
}

// Each thread's own copy begins with it.
static void own_copies(void) {
  struct Shape shape = {1, 2, items};
  for (int round = 0; round < kRounds; ++round) {
    int wrong = 0;
#pragma omp parallel firstprivate(shape) reduction(+ : wrong)
    {
      wrong += shape.first != round + 1;
      shape.first = -omp_get_thread_num();
      wrong += shape.table[shape.last] != 2;
    }
    EXPECT(wrong == 0, "Round %d: %d wrong copies.", round, wrong);
    ++shape.first;
  }
}

int main(void) {
  swapped();
  structure();
  written_by_others();
  own_copies();
  return ok();
}
