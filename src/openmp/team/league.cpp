// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/team/league.hpp"

#include <atomic>

#include "openmp/libomp/real.hpp"

namespace weft::openmp {
namespace {

std::atomic<int> thread_limit{0};
thread_local const LeagueTeam* present = nullptr;
thread_local unsigned leagues_of_libomp = 0;

}  // namespace

const LeagueTeam* current_league_team() { return present; }

InLeagueTeam::InLeagueTeam(const LeagueTeam* team) : outer_(present) { present = team; }
InLeagueTeam::~InLeagueTeam() { present = outer_; }

const LeagueTeam* league_team_outside_regions() {
  return present != nullptr && real().omp_get_level() == present->level ? present : nullptr;
}

LeagueOfLibomp::LeagueOfLibomp() { ++leagues_of_libomp; }
LeagueOfLibomp::~LeagueOfLibomp() { --leagues_of_libomp; }
bool in_league_of_libomp() { return leagues_of_libomp != 0; }
int league_thread_limit() { return thread_limit.load(std::memory_order_relaxed); }
void set_league_thread_limit(int limit) { thread_limit.store(limit, std::memory_order_relaxed); }

}  // namespace weft::openmp
