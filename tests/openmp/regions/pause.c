// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// omp_pause_resource between regions, soft and hard, leaves the job as it was: all threads, and
// what they share.

#include <omp.h>

#include "../check.h"

static int all_threads(int turn) {
  static int seen[1024];
  int count = 0;
#pragma omp parallel reduction(+ : count)
  {
    seen[omp_get_thread_num()] += turn;
    ++count;
  }
  for (int thread = 0; thread < count; ++thread) {
    EXPECT(seen[thread] == turn * (turn + 1) / 2, "thread %d: %d", thread, seen[thread]);
  }
  return count;
}

int main(void) {
  const int threads = omp_get_max_threads();
  int turn = 0;
  EXPECT(all_threads(++turn) == threads, "before");
  for (int i = 0; i < 3; ++i) {
    EXPECT(omp_pause_resource(omp_pause_hard, omp_get_initial_device()) == 0, "hard");
    EXPECT(omp_get_max_threads() == threads, "%d threads after hard", omp_get_max_threads());
    EXPECT(all_threads(++turn) == threads, "after hard");
    EXPECT(omp_pause_resource(omp_pause_soft, omp_get_initial_device()) == 0, "soft");
    EXPECT(all_threads(++turn) == threads, "after soft");
    EXPECT(omp_pause_resource_all(omp_pause_hard) == 0, "all, hard");
    EXPECT(all_threads(++turn) == threads, "after all, hard");
  }
  return ok();
}
