// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions with an if clause, and num_threads smaller than, equal to and larger than the default.

#include <omp.h>

#include "../check.h"

static int team_with_if(int wanted, int* in_parallel) {
  int team = 0, count = 0;
#pragma omp parallel if (wanted)
  {
#pragma omp atomic
    count += 1;
    if (omp_get_thread_num() == 0) {
      team = omp_get_num_threads();
      *in_parallel = omp_in_parallel();
    }
  }
  EXPECT(count == team, "%d threads ran in a team of %d.", count, team);
  return team;
}

static void sized(int wanted) {
  enum { kMost = 1024 };
  static int place[kMost];
  for (int i = 0; i < kMost; ++i) place[i] = -1;
  int team = 0;
#pragma omp parallel num_threads(wanted)
  {
    const int me = omp_get_thread_num();
    place[me] = me;
    if (me == 0) team = omp_get_num_threads();
#pragma omp barrier
    for (int t = 0; t < omp_get_num_threads(); ++t)
      EXPECT(place[t] == t, "Thread %d does not see thread %d's write.", me, t);
  }
  EXPECT(team >= 1 && team <= wanted, "Asked for %d threads, got %d.", wanted, team);
  EXPECT(wanted > omp_get_max_threads() || team == wanted, "Asked for %d threads, got %d.", wanted,
         team);
  for (int t = 0; t < kMost; ++t)
    EXPECT(place[t] == (t < team ? t : -1), "Place %d holds %d.", t, place[t]);
}

int main(void) {
  int in_parallel = 7;
  EXPECT(team_with_if(0, &in_parallel) == 1, "A region with if(0) has more than one thread.");
  EXPECT(!in_parallel, "A region with if(0) is active.");
  EXPECT(team_with_if(1, &in_parallel) == omp_get_max_threads(), "if(1) made the team smaller.");
  EXPECT(!in_parallel == (omp_get_max_threads() == 1), "omp_in_parallel says %d.", in_parallel);
  const int most = omp_get_max_threads();
  for (int wanted = 1; wanted <= most; ++wanted) sized(wanted);
  for (int wanted = most; wanted >= 1; --wanted) sized(wanted);
  omp_set_num_threads(1);
  EXPECT(team_with_if(1, &in_parallel) == 1, "omp_set_num_threads(1) has no effect.");
  omp_set_num_threads(most);
  EXPECT(team_with_if(1, &in_parallel) == most, "omp_set_num_threads(%d) has no effect.", most);
  return ok();
}
