// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/regions/parallel_region.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/held_signals.hpp"
#include "openmp/libomp/real.hpp"
#include "openmp/loops/doacross.hpp"
#include "openmp/placement/region_placement.hpp"
#include "openmp/placement/thread_homes.hpp"
#include "openmp/queries/affinity.hpp"
#include "openmp/regions/league_part.hpp"
#include "openmp/synchronisation/team_barrier.hpp"
#include "openmp/tasking/runtime.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/placed_team.hpp"
#include "openmp/team/team.hpp"
#include "runtime/board/board.hpp"
#include "runtime/hints/hints.hpp"
#include "runtime/stacks/program_stacks.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

// What a region of Weft's own is called towards libomp.
Ident own_ident = {.flags = 2, .text = ";weft;parallel region;0;0;;"};

struct LocalPart {
  const ParallelRegion* region;
  Team* team;
};

// What libomp runs on each thread of the node's team.
void local_thread(std::int32_t* gtid, std::int32_t* thread, LocalPart* part) {
  const ParallelRegion& region = *part->region;
  Team& team = *part->team;
  const auto local_number = static_cast<unsigned>(*thread);
  if (local_number == 0 && real().omp_get_num_threads() != static_cast<int>(team.local_size)) {
    fail_for_lack_of_threads(*team.node, team.local_size);
  }
  use_processors(Processors::kOwn);
  enter_program_stack(local_number);
  note_thread_home(*team.node, local_number);
  if (region.variables.dynamic != 0) real().omp_set_dynamic(region.variables.dynamic);
  Member member;
  member.team = &team;
  member.local_number = local_number;
  member.number = team.first + local_number;
  member.doacross_iterations = region.doacross_iterations;
  member.gtid = *gtid;
  const JobThread numbered(static_cast<int>(member.number), nullptr);
  board::set_number(static_cast<std::int32_t>(member.number));
  tasks::task_runtime()->begin_thread(member);
  tools::begin_member(member);
  set_current_member(&member);
  deliver_waiting_signals();
  const Computing computing;
  display_affinity_in_region(region.proc_bind);
  invoke_on_program_stack(region.microtask, *gtid, *thread, region.arguments.data(),
                          region.arguments.size());
  join_barrier(member, &own_ident, *gtid);
  if (member.number == 0) {
    // In a cancelled region others may have come to more such loops than this thread.
    const std::uint64_t skipped = team.cancelled ? std::uint64_t{1} << 40 : 0;
    set_doacross_iterations_of_job(member.doacross_iterations + skipped);
  }
  set_current_member(nullptr);
  board::set_number(board::kBetweenRegions);
}

}  // namespace

void fail_for_lack_of_threads(Node& node, unsigned needed) {
  node.fail(fmt::format(
      "OpenMP: libomp gave {} threads where {} are needed on each node; OMP_THREAD_LIMIT or the "
      "system's limit on threads is too low",
      real().omp_get_num_threads(), needed));
}

void enter_program_stack(unsigned local_number) {
  // The main thread of node 0 is on a program stack already, with the serial part's frames: the
  // shared variables in them, which all read, are not on a page that this thread writes all along.
  if (local_number != 0 || !has_program_stack()) {
    take_program_stack(local_number);
  } else {
    leave_page_of_program_stack();
  }
}

ControlVariables present_control_variables() {
  ControlVariables result;
  result.threads = real().omp_get_max_threads();
  real().omp_get_schedule(&result.schedule, &result.chunk);
  result.dynamic = real().omp_get_dynamic();
  result.max_active_levels = real().omp_get_max_active_levels();
  result.thread_limit = league_thread_limit();
  result.allocator = real().omp_get_default_allocator();
  return result;
}

void adopt_control_variables(const ControlVariables& variables) {
  set_league_thread_limit(variables.thread_limit);
  const ControlVariables present = present_control_variables();
  if (present == variables) return;
  real().omp_set_num_threads(variables.threads);
  real().omp_set_schedule(variables.schedule, variables.chunk);
  real().omp_set_dynamic(variables.dynamic);
  real().omp_set_max_active_levels(variables.max_active_levels);
  real().omp_set_default_allocator(variables.allocator);
}

void invoke_here(Microtask microtask, std::int32_t gtid, std::int32_t thread,
                 void* const* arguments, std::size_t count) {
  // A tool may ask where the runtime has called the program.
  void* unused = nullptr;
  void** const exit_frame = tools::exit_frame_of_task(&unused);
  real().__kmp_invoke_microtask(microtask, gtid, thread, static_cast<int>(count),
                                const_cast<void**>(arguments), exit_frame);
  *exit_frame = nullptr;
}

void invoke_on_program_stack(Microtask microtask, std::int32_t gtid, std::int32_t thread,
                             void* const* arguments, std::size_t count) {
  auto invoke = [=] { invoke_here(microtask, gtid, thread, arguments, count); };
  call_on_program_stack([](void* f) { (*static_cast<decltype(invoke)*>(f))(); }, &invoke);
}

void run_local_part(Node& node, const ParallelRegion& region) {
  const HintedRegion hinted(node, region.hints);
  if (region.teams > 0) return run_league_part(node, region);
  const unsigned threads_per_node = threads_of_team_per_node(node, region.team_size);
  const unsigned first = node.self().value() * threads_per_node;
  if (first >= region.team_size) return attend_barriers(node);
  Team team(std::min(threads_per_node, region.team_size - first));
  team.node = &node;
  team.region = region.number;
  team.microtask = region.microtask;
  team.size = region.team_size;
  team.level = static_cast<int>(region.outer_levels) + 1;
  team.first = first;
  team.nodes = (region.team_size + threads_per_node - 1) / threads_per_node;
  team.threads_per_node = threads_per_node;
  std::vector<void**> reduction_lists(team.local_size);
  team.reduction_lists = reduction_lists.data();

  loop_table().begin_region(region.number, team.local_size);
  const std::int32_t gtid = real().__kmpc_global_thread_num(&own_ident);
  real().__kmpc_push_num_threads(&own_ident, gtid, static_cast<std::int32_t>(team.local_size));
  if (region.proc_bind != 0) real().__kmpc_push_proc_bind(&own_ident, gtid, region.proc_bind);
  // A dynamic number of threads would let libomp give fewer; the threads set it again for theirs.
  if (region.variables.dynamic != 0) real().omp_set_dynamic(0);
  LocalPart part{&region, &team};
  const tools::RegionPart watched_part(region.tool_note, team);
  set_present_team(&team);
  tasks::task_runtime()->begin_region(team);
  real().__kmpc_fork_call(&own_ident, 1, reinterpret_cast<Microtask>(local_thread), &part);
  tasks::task_runtime()->end_region();
  set_present_team(nullptr);
  if (region.variables.dynamic != 0) real().omp_set_dynamic(region.variables.dynamic);
}

PhaseKey phase_of(const ParallelRegion& region) { return phase_key(region.microtask, nullptr); }

}  // namespace weft::openmp
