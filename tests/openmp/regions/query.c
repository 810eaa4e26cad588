// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The query functions, inside and outside of regions.

#include <omp.h>
#include <time.h>

#include "../check.h"

static void outside(void) {
  EXPECT(omp_get_num_threads() == 1, "Outside, the team has %d threads.", omp_get_num_threads());
  EXPECT(omp_get_thread_num() == 0, "Outside, the thread is number %d.", omp_get_thread_num());
  EXPECT(!omp_in_parallel(), "Outside, omp_in_parallel is true.");
  EXPECT(omp_get_level() == 0 && omp_get_active_level() == 0, "Outside, the level is %d.",
         omp_get_level());
  EXPECT(omp_get_max_threads() >= 1, "There are %d threads at most.", omp_get_max_threads());
  EXPECT(omp_get_num_procs() >= 1, "There are %d processors.", omp_get_num_procs());
  EXPECT(omp_get_thread_limit() >= omp_get_max_threads(), "The thread limit is %d.",
         omp_get_thread_limit());
  EXPECT(omp_get_ancestor_thread_num(0) == 0 && omp_get_team_size(0) == 1, "The ancestor is %d.",
         omp_get_ancestor_thread_num(0));
  EXPECT(omp_get_ancestor_thread_num(1) == -1 && omp_get_team_size(1) == -1,
         "There is an ancestor at a level that is not there.");
}

static void inside(void) {
  static char seen[1024];
  const int most = omp_get_max_threads();
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), team = omp_get_num_threads();
    EXPECT(team == most, "The team has %d threads, not %d.", team, most);
    EXPECT(me >= 0 && me < team, "The thread is number %d of %d.", me, team);
    EXPECT(!omp_in_parallel() == (team == 1), "omp_in_parallel is %d.", omp_in_parallel());
    EXPECT(omp_get_level() == 1, "The level is %d.", omp_get_level());
    EXPECT(omp_get_active_level() == (team > 1), "The active level is %d.", omp_get_active_level());
    EXPECT(omp_get_ancestor_thread_num(1) == me && omp_get_ancestor_thread_num(0) == 0,
           "The ancestors are %d, %d.", omp_get_ancestor_thread_num(1),
           omp_get_ancestor_thread_num(0));
    EXPECT(omp_get_team_size(1) == team && omp_get_team_size(0) == 1, "The team sizes are %d, %d.",
           omp_get_team_size(1), omp_get_team_size(0));
    EXPECT(!omp_in_final(), "omp_in_final is true.");
    seen[me] = 1;
  }
  for (int t = 0; t < most; ++t) EXPECT(seen[t], "Thread %d was not there.", t);
}

static double seconds_by_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void time_passes(void) {
  const double start_by_clock = seconds_by_clock(), start = omp_get_wtime();
  static double times[1024];
#pragma omp parallel
  {
    const double mine = omp_get_wtime();
#pragma omp barrier
    times[omp_get_thread_num()] = omp_get_wtime() - mine;
  }
  const double whole = omp_get_wtime() - start;
  const double by_clock = seconds_by_clock() - start_by_clock;
  EXPECT(whole > 0 && whole <= by_clock + 1e-3, "A region took %g s, in %g s.", whole, by_clock);
  for (int t = 0; t < omp_get_max_threads(); ++t)
    EXPECT(times[t] >= 0 && times[t] <= whole + 1e-3, "Thread %d measured %g s of %g.", t, times[t],
           whole);
  EXPECT(omp_get_wtick() > 0 && omp_get_wtick() < 1, "The clock ticks in %g s.", omp_get_wtick());
}

static void settings(void) {
  omp_set_dynamic(0);
  EXPECT(!omp_get_dynamic(), "omp_get_dynamic is true.");
  omp_set_max_active_levels(1);
  EXPECT(omp_get_max_active_levels() == 1, "omp_get_max_active_levels is %d.",
         omp_get_max_active_levels());
  const int most = omp_get_max_threads();
  omp_set_num_threads(1);
  EXPECT(omp_get_max_threads() == 1, "omp_get_max_threads is %d.", omp_get_max_threads());
  omp_set_num_threads(most);
  EXPECT(omp_get_max_threads() == most, "omp_get_max_threads is %d.", omp_get_max_threads());
  EXPECT(omp_is_initial_device(), "This is not the initial device.");
  EXPECT(omp_get_num_teams() == 1 && omp_get_team_num() == 0, "There are %d teams.",
         omp_get_num_teams());
}

int main(void) {
  outside();
  inside();
  outside();
  time_passes();
  settings();
  return ok();
}
