// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// least_nodes: 2
// environment: WEFT_SPREAD=auto
//
// On one host the teams of a league run inside node 0, where its memory is; and are as many, with
// as many threads each, as on all nodes.

#include <omp.h>

#include "../check.h"
#include "process_of_thread.h"

enum { kTeams = 10, kTurns = 3 };

static long process[kTeams];
static int threads[kTeams], teams[kTeams], counted;

static void run_league(long here) {
  counted = 0;
#pragma omp teams num_teams(kTeams) shared(process, threads, teams, counted)
  {
    const int team = omp_get_team_num();
    process[team] = process_of_thread();
    teams[team] = omp_get_num_teams();
#pragma omp parallel
    {
#pragma omp atomic
      ++counted;
#pragma omp single
      threads[team] = omp_get_num_threads();
    }
  }
  int sum = 0;
  for (int team = 0; team < kTeams; ++team) {
    EXPECT(process[team] == here, "team %d ran in process %ld, not %ld", team, process[team], here);
    EXPECT(teams[team] == kTeams, "team %d sees %d teams", team, teams[team]);
    EXPECT(threads[team] == threads[0], "team %d has %d threads, not %d", team, threads[team],
           threads[0]);
    sum += threads[team];
  }
  EXPECT(counted == sum, "%d threads, not %d", counted, sum);
}

int main(void) {
  const long here = process_of_thread();
  EXPECT(here > 0, "no process");
  for (int turn = 0; turn < kTurns; ++turn) run_league(here);
  return ok();
}
