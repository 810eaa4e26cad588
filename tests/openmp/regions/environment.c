// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// environment: OMP_SCHEDULE=guided,7 OMP_MAX_ACTIVE_LEVELS=3 OMP_STACKSIZE=24M OMP_NUM_TEAMS=1
// What the environment sets holds for the threads of all nodes.

#include <omp.h>

#include "../check.h"

static void check(void) {
  omp_sched_t kind = omp_sched_auto;
  int chunk = 0;
  omp_get_schedule(&kind, &chunk);
  EXPECT(kind == omp_sched_guided && chunk == 7, "Thread %d: schedule %d,%d.", omp_get_thread_num(),
         (int)kind, chunk);
  EXPECT(omp_get_max_active_levels() == 3, "Thread %d: %d levels.", omp_get_thread_num(),
         omp_get_max_active_levels());
  EXPECT(!omp_get_dynamic(), "Thread %d: dynamic.", omp_get_thread_num());
  EXPECT(omp_get_max_teams() == 1, "Thread %d: %d teams.", omp_get_thread_num(),
         omp_get_max_teams());
}

// Deeper than the 8 MiB that a thread would have.
static int dive(int depth) {
  volatile char frame[1 << 20];
  frame[0] = (char)depth;
  return depth == 0 ? frame[0] : dive(depth - 1) + frame[0];
}

int main(void) {
  check();
#pragma omp parallel
  {
    check();
    if (omp_get_thread_num() != 0) EXPECT(dive(16) == 136, "The sum is %d.", dive(16));
  }
  return ok();
}
