// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where leagues begin.
#include <algorithm>
#include <cstdarg>
#include <utility>

#include "openmp/regions/fork_call.hpp"
#include "openmp/regions/inner_region.hpp"
#include "openmp/regions/parallel_region.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/team.hpp"
#include "openmp/tools/tool.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

// Clauses of the league that this thread begins next.
thread_local std::int32_t wanted_teams = 0, wanted_thread_limit = 0;

// As many as the program asks for: unlike libomp, a job may execute some after others.
unsigned number_of_teams() {
  if (wanted_teams > 0) return static_cast<unsigned>(wanted_teams);
  return static_cast<unsigned>(std::max(1, real().omp_get_max_teams()));
}

// Runs the league's one team: the code that follows `teams`, by the initial thread.
void run_league_of_one(Ident* loc, Microtask microtask, std::span<void* const> arguments,
                       int clause) {
  const int limit = clause > 0 ? clause : real().omp_get_teams_thread_limit();
  const int threads = real().omp_get_max_threads();
  if (limit > 0 && limit < threads) real().omp_set_num_threads(limit);
  set_league_thread_limit(limit);
  const LeagueTeam team{0, 1, real().omp_get_level()};
  const InLeagueTeam in_team(&team);
  const std::int32_t gtid = real().__kmpc_global_thread_num(loc);
  invoke_on_program_stack(microtask, gtid, 0, arguments.data(), arguments.size());
  set_league_thread_limit(0);
  real().omp_set_num_threads(threads);
}

void run_league_of_libomp(Ident* loc, const InnerRegion& region, int teams, int limit) {
  const std::int32_t gtid = real().__kmpc_global_thread_num(loc);
  if (teams != 0 || limit != 0) real().__kmpc_push_num_teams(loc, gtid, teams, limit);
  const OutsideTeam outside;
  const LeagueOfLibomp league;
  real().__kmpc_fork_teams(loc, 1, reinterpret_cast<Microtask>(inner_thread), &region);
}

}  // namespace
}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_push_num_teams(Ident*, std::int32_t, std::int32_t teams,
                                      std::int32_t limit) {
  wanted_teams = teams;
  wanted_thread_limit = limit;
}

// Any number between the two is right; libomp takes the upper one, too.
WEFT_ENTRY void __kmpc_push_num_teams_51(Ident*, std::int32_t, std::int32_t lower,
                                         std::int32_t upper, std::int32_t limit) {
  wanted_teams = upper != 0 ? upper : lower;
  wanted_thread_limit = limit;
}

WEFT_ENTRY void __kmpc_fork_teams(Ident* loc, std::int32_t count, Microtask microtask, ...) {
  WEFT_NOTE_CALL();
  va_list list;
  va_start(list, microtask);
  const std::vector<void*> arguments = collect_arguments(count, list);
  va_end(list);
  // A tool of the whole job hears of a league as libomp has it: once, and all of it. So it stays
  // where it begins.
  const bool spans = may_span(microtask) && current_league_team() == nullptr && !tools::is_of_job();
  const InnerRegion region = inner_region(microtask, arguments);
  forget_clauses();
  on_runtime_stack([&] {
    const unsigned teams = number_of_teams();
    const int asked_for = std::exchange(wanted_teams, 0);
    const int limit = std::exchange(wanted_thread_limit, 0);
    if (!spans) return run_league_of_libomp(loc, region, asked_for, limit);
    if (teams == 1) return run_league_of_one(loc, microtask, arguments, limit);
    fork_league(loc, microtask, arguments, teams, limit);
  });
}
