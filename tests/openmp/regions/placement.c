// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that run now on all nodes, now inside node 0: teams have the same sizes and numbers, find
// what others wrote in the region before, and add up alike; locks and nested regions go on.
//
// environment: WEFT_SPREAD=random

#include <omp.h>
#include <string.h>

#include "../check.h"

enum { kRounds = 60, kMost = 64, kNumbers = 4096 };

static int seen[kMost];
static double numbers[kNumbers];
static long under_lock, under_critical;

// Each thread writes what its neighbour wrote in the round before.
static void hand_on(int threads, int round) {
  int next[kMost] = {0};
#pragma omp parallel
  {
    const int me = omp_get_thread_num();
    EXPECT(omp_get_num_threads() == threads, "%d threads in round %d.", omp_get_num_threads(),
           round);
    EXPECT(omp_get_level() == 1, "Level %d.", omp_get_level());
    EXPECT(omp_get_ancestor_thread_num(1) == me, "Ancestor %d.", omp_get_ancestor_thread_num(1));
    EXPECT(omp_get_team_size(1) == threads, "Size %d.", omp_get_team_size(1));
    next[me] = seen[(me + 1) % threads] + 1;
  }
  for (int i = 0; i < threads; ++i) {
    EXPECT(next[i] == round + 1, "Thread %d has %d in round %d.", i, next[i], round);
  }
  memcpy(seen, next, sizeof seen);
}

static double sum_of_all(void) {
  double sum = 0;
#pragma omp parallel for schedule(static) reduction(+ : sum)
  for (int i = 0; i < kNumbers; ++i) sum += numbers[i];
  return sum;
}

// On three nodes and more the order follows the barrier's tree where they take part.
static int is_alike(double a, double b) { return a - b < 1e-12 && b - a < 1e-12; }

// A region goes on behind its reduction: all see the originals.
static void expect_sum_inside(double expected) {
  double sum = 0;
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
#pragma omp for schedule(static) reduction(+ : sum)
    for (int i = 0; i < kNumbers; ++i) sum += numbers[i];
    wrong += !is_alike(sum, expected);
  }
  EXPECT(wrong == 0, "%d threads see another sum than %.17g.", wrong, expected);
}

static void count(omp_lock_t* lock) {
#pragma omp parallel
  {
    omp_set_lock(lock);
    ++under_lock;
    omp_unset_lock(lock);
#pragma omp critical
    ++under_critical;
  }
}

// Stacks are as large in both placements, and shared.
static void use_large_stack(int threads) {
  enum { kBytes = 5 << 20 };
  const volatile char* addresses[kMost] = {0};
  int wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const int me = omp_get_thread_num();
    volatile char large[kBytes];
    for (int i = 0; i < kBytes; i += 4096) large[i] = (char)me;
    addresses[me] = large;
#pragma omp barrier
    wrong += addresses[(me + 1) % threads][4096] != (char)((me + 1) % threads);
#pragma omp barrier
  }
  EXPECT(wrong == 0, "%d threads read something else from their neighbours' stacks.", wrong);
}

static void nest(int threads) {
  long product = 0;
#pragma omp parallel reduction(+ : product)
  {
    const int outer = omp_get_thread_num();
#pragma omp parallel num_threads(2) reduction(+ : product)
    product += omp_get_ancestor_thread_num(1) == outer;
  }
  EXPECT(product == 2L * threads, "%ld of %d inner threads.", product, 2 * threads);
}

int main(void) {
  omp_set_max_active_levels(2);
  const int threads = omp_get_max_threads();
  if (threads > kMost) return ok();
  omp_lock_t lock;
  omp_init_lock(&lock);
  for (int i = 0; i < kNumbers; ++i) numbers[i] = 1.0 / (i + 1);
  const double first = sum_of_all();
  for (int round = 0; round < kRounds; ++round) {
    hand_on(threads, round);
    count(&lock);
    const double sum = sum_of_all();
    EXPECT(is_alike(sum, first), "%.17g, not %.17g.", sum, first);
    expect_sum_inside(first);
    if (round % 20 == 0) use_large_stack(threads);
    if (round % 10 == 0) nest(threads);
  }
  EXPECT(under_lock == (long)kRounds * threads, "%ld times under the lock.", under_lock);
  EXPECT(under_critical == (long)kRounds * threads, "%ld times.", under_critical);
  return ok();
}
