// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A task that is made behind a barrier is not executed by a thread that has still to leave it: the
// task may wait for what that thread does next.

#include <omp.h>

#include "../check.h"

enum { kRounds = 400 };

static int done;

static void wait_for(int round) {
  int now;
  do {
#pragma omp atomic read
    now = done;
  } while (now != round);
}

// One thread makes the task and waits for it; the next one leaves the barrier and lets it end.
static void play(int maker, int helper) {
#pragma omp parallel
  for (int round = 1; round <= kRounds; ++round) {
    const int me = omp_get_thread_num();
#pragma omp barrier
    if (me == maker) {
#pragma omp task firstprivate(round)
      wait_for(round);
#pragma omp taskwait
    } else if (me == helper) {
#pragma omp atomic write
      done = round;
    }
  }
}

int main(void) {
  const int threads = omp_get_max_threads();
  if (threads < 2) return ok();
  play(0, 1);
  done = 0;
  play(threads - 1, threads - 2);
  EXPECT(done == kRounds, "The last round was %d.", done);
  return ok();
}
