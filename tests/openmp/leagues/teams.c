// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leagues on the host: their numbers, distribute, thread limits, reductions, and parallel regions
// in them. A league of one team has all threads of the job.

#include <omp.h>

#include "../check.h"

enum { kIterations = 3000 };

static int times[kIterations];

static void each_once(const char* what) {
  for (int i = 0; i < kIterations; ++i) {
    EXPECT(times[i] == 1, "%s: iteration %d ran %d times.", what, i, times[i]);
    times[i] = 0;
  }
}

static void one_team(void) {
  const int most = omp_get_max_threads();
  int threads = 0;
#pragma omp teams num_teams(1)
  {
    EXPECT(omp_get_num_teams() == 1 && omp_get_team_num() == 0, "Team %d of %d.",
           omp_get_team_num(), omp_get_num_teams());
    EXPECT(omp_get_level() == 0 && !omp_in_parallel(), "A league is at level %d.", omp_get_level());
#pragma omp parallel num_threads(most)
    {
      EXPECT(omp_get_num_teams() == 1 && omp_get_team_num() == 0, "Team %d of %d.",
             omp_get_team_num(), omp_get_num_teams());
      EXPECT(omp_get_level() == 1, "The level is %d.", omp_get_level());
#pragma omp atomic
      threads += 1;
    }
  }
  EXPECT(threads == most, "%d threads came, not %d.", threads, most);
}

static void limited(void) {
#pragma omp teams num_teams(1) thread_limit(2)
  {
    EXPECT(omp_get_thread_limit() == 2, "The limit is %d.", omp_get_thread_limit());
#pragma omp parallel num_threads(5)
    {
      EXPECT(omp_get_num_threads() <= 2, "%d threads, where 2 are the limit.",
             omp_get_num_threads());
      EXPECT(omp_get_thread_limit() == 2, "The limit of thread %d is %d.", omp_get_thread_num(),
             omp_get_thread_limit());
    }
  }
  EXPECT(omp_get_thread_limit() > 2, "The limit is still %d.", omp_get_thread_limit());
}

static void loops(void) {
#pragma omp teams distribute
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  each_once("teams distribute");
#pragma omp teams distribute dist_schedule(static, 7)
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  each_once("dist_schedule");
#pragma omp teams distribute parallel for
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  each_once("distribute parallel for");
#pragma omp teams distribute parallel for num_teams(3) schedule(dynamic, 5)
  for (int i = 0; i < kIterations; ++i) times[i] += 1;
  each_once("three teams");
  long sum = 0;
#pragma omp teams distribute parallel for reduction(+ : sum) collapse(2) dist_schedule(static, 11)
  for (int i = 0; i < 30; ++i)
    for (int j = 0; j < 20; ++j) sum += i * j;
  EXPECT(sum == 435L * 190L, "The sum is %ld.", sum);
  int last = -1;
#pragma omp teams distribute lastprivate(last)
  for (int i = 0; i < kIterations; ++i) last = i;
  EXPECT(last == kIterations - 1, "The last iteration was %d.", last);
}

static void several_teams(void) {
  int teams = 0, firsts = 0;
#pragma omp teams num_teams(4) reduction(+ : teams, firsts)
  {
    teams += 1;
    firsts += omp_get_team_num() == 0;
    EXPECT(omp_get_team_num() < omp_get_num_teams() && omp_get_num_teams() <= 4, "Team %d of %d.",
           omp_get_team_num(), omp_get_num_teams());
  }
  EXPECT(teams >= 1 && teams <= 4 && firsts == 1, "%d teams, %d of them the first.", teams, firsts);
}

int main(void) {
  one_team();
  limited();
  loops();
  several_teams();
  one_team();
  return ok();
}
