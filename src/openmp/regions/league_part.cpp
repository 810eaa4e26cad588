// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/regions/league_part.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "openmp/libomp/real.hpp"
#include "openmp/placement/region_placement.hpp"
#include "openmp/synchronisation/team_barrier.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/team.hpp"

namespace weft::openmp {
namespace {

// What the part is called towards libomp.
Ident own_ident = {.flags = 2, .text = ";weft;league;0;0;;"};

std::atomic<bool> is_running{false};

struct LeaguePart {
  const ParallelRegion* region;
  TeamBlock block;       // of teams
  unsigned own_threads;  // the first so many are for this node's own processors
};

// What libomp runs on the initial thread of each of its own teams.
void league_thread(std::int32_t* gtid, std::int32_t*, const LeaguePart* part) {
  const ParallelRegion& region = *part->region;
  const auto local_number = static_cast<unsigned>(real().omp_get_team_num());
  use_processors(local_number < part->own_threads ? Processors::kOwn : Processors::kSpare);
  enter_program_stack(local_number);
  const ControlVariables inherited = present_control_variables();
  const auto at_once = static_cast<unsigned>(real().omp_get_num_teams());
  const TeamBlock own = block_of(part->block.count, local_number, at_once);
  for (unsigned i = 0; i < own.count; ++i) {
    const LeagueTeam team{part->block.first + own.first + i, region.teams, real().omp_get_level()};
    const InLeagueTeam present(&team);
    invoke_on_program_stack(region.microtask, *gtid, 0, region.arguments.data(),
                            region.arguments.size());
    adopt_control_variables(inherited);
  }
}

// On a node that has the most teams, as node 0 does.
unsigned most_at_once(const Node& node, const ParallelRegion& region) {
  return std::min(block_of(region.teams, 0, node.node_count()).count, node.threads_per_node());
}

void run_teams(const Node& node, const ParallelRegion& region, TeamBlock block, unsigned at_once) {
  const LeaguePart part{&region, block, most_at_once(node, region)};
  const int limit = region.variables.thread_limit;
  // All teams may have as many threads as those of node 0: the work is dealt out evenly among them,
  // and programs count on teams of one size, as libomp's are.
  int threads = static_cast<int>(node.threads_per_node() / part.own_threads);
  if (limit > 0) threads = std::min(threads, limit);
  set_league_thread_limit(limit > 0 ? limit : real().omp_get_thread_limit());
  is_running = true;
  const std::int32_t gtid = real().__kmpc_global_thread_num(&own_ident);
  real().__kmpc_push_num_teams(&own_ident, gtid, static_cast<std::int32_t>(at_once), threads);
  real().__kmpc_fork_teams(&own_ident, 1, reinterpret_cast<Microtask>(league_thread), &part);
  is_running = false;
  set_league_thread_limit(0);
}

}  // namespace

TeamBlock block_of(unsigned count, unsigned n, unsigned parts) {
  const unsigned each = count / parts, longer = count % parts;
  return {n * each + std::min(n, longer), each + (n < longer ? 1 : 0)};
}

void run_league_part(Node& node, const ParallelRegion& region) {
  const TeamBlock block = block_of(region.teams, node.self().value(), node.node_count());
  if (block.count == 0) return attend_barriers(node);
  run_teams(node, region, block, std::min(block.count, node.threads_per_node()));
  BarrierInput input = end_of_region();
  input.next = phase_after(region.microtask);
  (void)node.barrier_with(std::move(input));
}

void run_league_inside(Node& node, const ParallelRegion& region) {
  run_teams(node, region, {0, region.teams},
            std::min(region.teams, node.node_count() * most_at_once(node, region)));
}

bool runs_league_part() { return is_running.load(std::memory_order_relaxed); }

}  // namespace weft::openmp
