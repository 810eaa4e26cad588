// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A maximum under a lock, between two barriers, again and again: who is first to take the lock, and
// whether the other node has arrived at the barrier by then, is another matter in each turn. Ends
// after so many turns or seconds.

#include <omp.h>
#include <time.h>

#include "../check.h"

enum { kTurns = 40000, kUndisturbed = 2000, kSeconds = 4 };

static double value_of(int turn, int thread) {
  return 1 + ((turn * 7919 + thread * 104729) % 1000) * 0.001;
}

static double largest(int turn, int threads) {
  double most = 0;
  for (int t = 0; t < threads; ++t) {
    if (value_of(turn, t) > most) most = value_of(turn, t);
  }
  return most;
}

// So that threads take the lock in another order, now and then.
static void dawdle(void) {
  for (volatile int i = 0; i < 30000; ++i) {
  }
}

int main(void) {
  double* const most = malloc(4096);
  omp_lock_t* const lock = malloc(sizeof *lock);
  int* const end = malloc(4096);
  const time_t until = time(NULL) + kSeconds;
  omp_init_lock(lock);
  *end = kTurns;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), n = omp_get_num_threads();
    for (int turn = 0; turn < *end; ++turn) {
      if (me == 0) *most = 0;
#pragma omp barrier
      const double mine = value_of(turn, me);
      if (turn > kUndisturbed && turn % 37 == 0 && me == turn / 37 % n) dawdle();
      omp_set_lock(lock);
      if (mine > *most) *most = mine;
      omp_unset_lock(lock);
#pragma omp barrier
      const double got = *most, want = largest(turn, n);
      if (me == 0 && turn % 100 == 0 && time(NULL) > until) *end = turn + 1;
#pragma omp barrier
      EXPECT(got == want, "thread %d of %d, turn %d: the largest is %g, not %g", me, n, turn, want,
             got);
    }
  }
  omp_destroy_lock(lock);
  return ok();
}
