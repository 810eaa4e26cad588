// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parallel regions inside regions of one thread have all threads of the job, and their levels,
// ancestors and team sizes are those that one node would show.

#include <omp.h>

#include "../check.h"

static int seen[1024];

// A region at the given level whose outer ones all have one thread.
static void inner(int level, int most) {
  for (int i = 0; i < most; ++i) seen[i] = 0;
  long sum = 0;
#pragma omp parallel num_threads(most) reduction(+ : sum)
  {
    const int me = omp_get_thread_num();
    EXPECT(omp_get_num_threads() == most, "The team has %d threads, not %d.", omp_get_num_threads(),
           most);
    EXPECT(omp_get_level() == level, "Thread %d is at level %d, not %d.", me, omp_get_level(),
           level);
    EXPECT(omp_get_active_level() == (most > 1), "The active level is %d.", omp_get_active_level());
    EXPECT(omp_get_ancestor_thread_num(level) == me, "Thread %d is called %d.", me,
           omp_get_ancestor_thread_num(level));
    EXPECT(omp_get_team_size(level) == most, "The team's size is %d.", omp_get_team_size(level));
    for (int outer = 0; outer < level; ++outer) {
      EXPECT(omp_get_ancestor_thread_num(outer) == 0 && omp_get_team_size(outer) == 1,
             "At level %d, thread %d has ancestor %d of %d.", outer, me,
             omp_get_ancestor_thread_num(outer), omp_get_team_size(outer));
    }
    EXPECT(omp_get_ancestor_thread_num(level + 1) == -1, "There is a deeper level.");
    seen[me] += 1;
#pragma omp for schedule(dynamic)
    for (int i = 0; i < 100; ++i) sum += i;
#pragma omp parallel num_threads(1)
    EXPECT(omp_get_level() == level + 1 && omp_get_ancestor_thread_num(level) == me,
           "Inside thread %d, the level is %d.", me, omp_get_level());
  }
  EXPECT(sum == 4950, "The loop summed to %ld.", sum);
  for (int i = 0; i < most; ++i) EXPECT(seen[i] == 1, "Thread %d came %d times.", i, seen[i]);
}

int main(void) {
  const int most = omp_get_max_threads();
  inner(1, most);
#pragma omp parallel if (most < 0)
  {
    inner(2, most);
    EXPECT(omp_get_level() == 1 && omp_get_num_threads() == 1, "The outer region is at level %d.",
           omp_get_level());
  }
#pragma omp parallel num_threads(1)
  {
    int kept = 7;
#pragma omp parallel if (0)
    inner(3, most);
    EXPECT(kept == 7, "A local variable became %d.", kept);
  }
  inner(1, most);
  return ok();
}
