// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Leagues of teams on the host. What a league is depends on who begins it, and with how many teams:
//
//   the job's initial thread, one team (what a program gets that does not ask for more)
//       the thread itself, whose parallel regions span the nodes
//   the job's initial thread, more teams
//       spans the nodes as a region does (league_part.hpp): each node executes a block of the
//       teams, and a team's parallel regions stay on its node
//   any other thread
//       libomp's, on its node
#pragma once

#include "openmp/team/team.hpp"

namespace weft::openmp {

// A team of one of the first two kinds.
struct LeagueTeam {
  unsigned number = 0;
  unsigned teams = 1;  // in the league
  int level = 0;       // of regions, where its initial thread is
};

// The team that the calling thread is in, at whatever depth inside its node; null if there is none.
[[nodiscard]] const LeagueTeam* current_league_team();

// The calling thread is in the team, or in none, for as long as this lives.
class InLeagueTeam {
 public:
  explicit InLeagueTeam(const LeagueTeam* team);
  ~InLeagueTeam();
  InLeagueTeam(const InLeagueTeam&) = delete;
  InLeagueTeam& operator=(const InLeagueTeam&) = delete;

 private:
  const LeagueTeam* const outer_;
};

// The same if the thread is the team's initial one, and in no region of the team's; else null.
[[nodiscard]] const LeagueTeam* league_team_outside_regions();

// The calling thread begins one of libomp's, for as long as this lives.
class LeagueOfLibomp {
 public:
  LeagueOfLibomp();
  ~LeagueOfLibomp();
  LeagueOfLibomp(const LeagueOfLibomp&) = delete;
  LeagueOfLibomp& operator=(const LeagueOfLibomp&) = delete;
};

// The calling thread has begun a league of libomp's.
[[nodiscard]] bool in_league_of_libomp();

// What the teams construct limits the threads to; 0 if it does not. Travels with each region.
[[nodiscard]] int league_thread_limit();
void set_league_thread_limit(int limit);

}  // namespace weft::openmp
