// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One thread makes tasks, and every thread of the team executes one: each task waits until as many
// have begun as there are threads.

#include <omp.h>
#include <sched.h>

#include "../check.h"

enum { kMost = 1024 };
static int begun;
static int executed_by[kMost];

static void meet_everybody(int threads) {
  int now;
#pragma omp atomic
  begun += 1;
  do {
    sched_yield();
#pragma omp atomic read seq_cst
    now = begun;
  } while (now < threads);
  executed_by[omp_get_thread_num()] += 1;
}

static void check(const char* what) {
  for (int t = 0; t < omp_get_max_threads(); ++t) {
    EXPECT(executed_by[t] == 1, "%s: thread %d executed %d tasks.", what, t, executed_by[t]);
    executed_by[t] = 0;
  }
  begun = 0;
}

int main(void) {
  const int threads = omp_get_max_threads();
  for (int round = 0; round < 3; ++round) {
#pragma omp parallel
#pragma omp single
    for (int i = 0; i < threads; ++i) {
#pragma omp task firstprivate(threads)
      meet_everybody(threads);
    }
    check("A barrier");

#pragma omp parallel
#pragma omp masked
    {
      for (int i = 0; i < threads; ++i) {
#pragma omp task firstprivate(threads)
        meet_everybody(threads);
      }
#pragma omp taskwait
    }
    check("taskwait");

#pragma omp parallel
#pragma omp single
#pragma omp taskgroup
    {
#pragma omp task firstprivate(threads)
      for (int i = 0; i < threads; ++i) {
#pragma omp task firstprivate(threads)
        meet_everybody(threads);
      }
    }
    check("taskgroup");

#pragma omp parallel
#pragma omp single
#pragma omp taskloop num_tasks(threads)
    for (int i = 0; i < threads; ++i) meet_everybody(threads);
    check("taskloop");
  }
  return ok();
}
