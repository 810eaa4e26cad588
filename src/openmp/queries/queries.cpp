// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The query functions whose answers are different when a team spans nodes. libomp's own team at the
// level of the spanning one is this node's part of it; deeper levels are libomp's alone. All other
// functions (schedule, dynamic, limits, time, places, tasks, ...) are libomp's, unchanged: the
// control variables travel with each region.
#include "openmp/team/league.hpp"
#include "openmp/team/team.hpp"

namespace weft::openmp {
namespace {

int thread_number() {
  const Member* member = current_member();
  return member != nullptr ? static_cast<int>(member->number) : real().omp_get_thread_num();
}

int team_size_here() {
  if (const Member* member = current_member(); member != nullptr) {
    return static_cast<int>(member->team->size);
  }
  // libomp counts the threads that it keeps for the league's inner regions.
  return league_team_outside_regions() != nullptr ? 1 : real().omp_get_num_threads();
}

// The spanning team that the calling thread is in, at whatever depth.
const Team* enclosing_team() {
  if (const Member* member = current_member(); member != nullptr) return member->team;
  const Team* team = present_team();
  return team != nullptr && real().omp_get_level() > team->level ? team : nullptr;
}

int in_parallel() { return enclosing_team() != nullptr || real().omp_in_parallel() != 0 ? 1 : 0; }

// A node with one thread in the team is not active in libomp's eyes; the team is.
int active_level() {
  const Team* team = enclosing_team();
  return real().omp_get_active_level() + (team != nullptr && team->local_size == 1 ? 1 : 0);
}

int ancestor(int level) {
  const Team* team = enclosing_team();
  const int number = real().omp_get_ancestor_thread_num(level);
  return team != nullptr && level == team->level ? static_cast<int>(team->first) + number : number;
}

int team_size(int level) {
  const Team* team = enclosing_team();
  if (team != nullptr && level == team->level) return static_cast<int>(team->size);
  return real().omp_get_team_size(level);
}

int thread_limit() {
  return league_thread_limit() > 0 ? league_thread_limit() : real().omp_get_thread_limit();
}

// In a league of libomp's, libomp's own numbers.
int number_of_teams() {
  const LeagueTeam* team = current_league_team();
  return team != nullptr ? static_cast<int>(team->teams) : real().omp_get_num_teams();
}

int team_number() {
  const LeagueTeam* team = current_league_team();
  return team != nullptr ? static_cast<int>(team->number) : real().omp_get_team_num();
}

int processor_count() {
  const Node* node = this_node();
  return node != nullptr ? static_cast<int>(node->node_count() * node->threads_per_node())
                         : real().omp_get_num_procs();
}

}  // namespace
}  // namespace weft::openmp

using namespace weft::openmp;

#define WEFT_QUERY(name, body)                 \
  WEFT_ENTRY int name(void) { return body(); } \
  WEFT_ENTRY int name##_(void) { return body(); }
WEFT_QUERY(omp_get_thread_num, thread_number)
WEFT_QUERY(omp_get_num_threads, team_size_here)
WEFT_QUERY(omp_in_parallel, in_parallel)
WEFT_QUERY(omp_get_active_level, active_level)
WEFT_QUERY(omp_get_num_procs, processor_count)
WEFT_QUERY(omp_get_thread_limit, thread_limit)
WEFT_QUERY(omp_get_num_teams, number_of_teams)
WEFT_QUERY(omp_get_team_num, team_number)

WEFT_ENTRY int omp_get_ancestor_thread_num(int level) { return ancestor(level); }
WEFT_ENTRY int omp_get_ancestor_thread_num_(const int* level) { return ancestor(*level); }
// C programs that call what libomp's own header renamed.
WEFT_ENTRY int ompc_get_ancestor_thread_num(int level) { return ancestor(level); }
WEFT_ENTRY int ompc_get_team_size(int level) { return team_size(level); }
WEFT_ENTRY int omp_get_team_size(int level) { return team_size(level); }
WEFT_ENTRY int omp_get_team_size_(const int* level) { return team_size(*level); }

// __kmpc_bound_num_threads and the like are not here: no compiler calls them, but libomp's own
// omp_get_num_threads does, by way of the dynamic linker.
