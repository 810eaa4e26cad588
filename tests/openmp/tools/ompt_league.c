// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tool (OMPT) that is part of the program hears of a league once: its beginning and end, and an
// initial task for each team, by its number. libomp may make fewer teams than are asked for.

#include <omp.h>

#include "../check.h"
#include "ompt_tool.h"

enum { kTeams = 3, kLeagues = 4 };
static int begins, ends, requested_teams, team_begins[kTeams], team_ends[kTeams], executed;
static int teams;

static void on_parallel_begin(ompt_data_t* task, const ompt_frame_t* frame, ompt_data_t* parallel,
                              unsigned int requested, int flags, const void* address) {
  (void)task, (void)frame, (void)parallel, (void)address;
  if ((flags & ompt_parallel_league) == 0) return;
  requested_teams = (int)requested;
  COUNT(begins);
}
static void on_parallel_end(ompt_data_t* parallel, ompt_data_t* task, int flags,
                            const void* address) {
  (void)parallel, (void)task, (void)address;
  if ((flags & ompt_parallel_league) != 0) COUNT(ends);
}
static void on_implicit_task(ompt_scope_endpoint_t endpoint, ompt_data_t* parallel,
                             ompt_data_t* task, unsigned int size, unsigned int index, int flags) {
  (void)parallel, (void)task, (void)size;
  if ((flags & ompt_task_initial) == 0 || begins == ends) return;
  EXPECT(index < kTeams, "The initial task of team %u.", index);
  if (endpoint == ompt_scope_begin) {
    COUNT(team_begins[index]);
  } else {
    COUNT(team_ends[index]);
  }
}

static void start_watching(ompt_function_lookup_t lookup) {
  (void)lookup;
  WATCH(ompt_callback_parallel_begin, on_parallel_begin);
  WATCH(ompt_callback_parallel_end, on_parallel_end);
  WATCH(ompt_callback_implicit_task, on_implicit_task);
}
static void end_watching(void) {}

static void check(const char* what) {
  EXPECT(begins == kLeagues && ends == kLeagues, "%s: %d leagues began, %d ended.", what, begins,
         ends);
  EXPECT(requested_teams == teams, "%s: %d teams were requested.", what, requested_teams);
  for (int i = 0; i < teams; ++i) {
    EXPECT(team_begins[i] == kLeagues, "%s: team %d began %d times.", what, i, team_begins[i]);
    // libomp may say of other teams than the first that they end when the league has ended.
    EXPECT(i > 0 || team_ends[i] == kLeagues, "%s: team %d ended %d times.", what, i, team_ends[i]);
    team_begins[i] = team_ends[i] = 0;
  }
  EXPECT(executed == teams * kLeagues, "%s: %d teams were executed.", what, executed);
  begins = ends = executed = 0;
}

int main(void) {
  for (int league = 0; league < kLeagues; ++league) {
#pragma omp teams num_teams(kTeams) thread_limit(1)
    {
      if (omp_get_team_num() == 0) teams = omp_get_num_teams();
#pragma omp atomic
      ++executed;
    }
  }
  EXPECT(teams >= 1 && teams <= kTeams, "%d teams.", teams);
  check("teams");
  teams = 1;
  for (int league = 0; league < kLeagues; ++league) {
#pragma omp teams num_teams(1)
    {
#pragma omp parallel num_threads(2)
#pragma omp masked
      ++executed;
    }
  }
  check("one team");
  return ok();
}
