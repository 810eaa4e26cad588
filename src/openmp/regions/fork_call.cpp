// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where parallel regions begin. A region of the program spans nodes if node 0's main thread begins
// it outside of all others that have more than one thread, on its program stack, with more threads
// than one node has; unless it is faster inside that node (openmp/placement). Every other region is
// libomp's: those nested in teams of several threads, those of tasks and of the program's own
// threads, those of libraries that weftcc did not link, and small ones.
#include "openmp/regions/fork_call.hpp"

#include <algorithm>
#include <cstdarg>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "openmp/loops/doacross.hpp"
#include "openmp/placement/region_placement.hpp"
#include "openmp/placement/thread_homes.hpp"
#include "openmp/queries/affinity.hpp"
#include "openmp/regions/inner_region.hpp"
#include "openmp/regions/league_part.hpp"
#include "openmp/regions/parallel_region.hpp"
#include "openmp/regions/worker.hpp"
#include "openmp/team/implied_flush.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/team.hpp"
#include "openmp/team/thread_local_block.hpp"
#include "openmp/tools/tool.hpp"
#include "runtime/board/board.hpp"
#include "runtime/hints/hints.hpp"
#include "runtime/interface/call_sites.hpp"
#include "runtime/interface/rest_order.hpp"
#include "runtime/interface/spreading.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "runtime/libraries/program_objects.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

thread_local bool is_main_thread = false;
// Clauses of the region that this thread forks next.
thread_local std::int32_t wanted_threads = 0, wanted_proc_bind = 0;
std::uint64_t regions = 0;

// Regions that were entered by __kmpc_serialized_parallel, innermost last: libomp itself calls the
// pair too, so each is known by its level.
struct SerializedRegion {
  int level;
  Member* outer;
};
thread_local std::vector<SerializedRegion> serialized_regions;

// Tells threads apart.
const void* thread_token() { return &wanted_threads; }

// How many threads the region gets: as many as the program wants, even more than the job has,
// unless it leaves the number open or has set a limit.
unsigned choose_team_size(const Node& node) {
  if (real().omp_get_max_active_levels() < 1) return 1;
  const int wanted = wanted_threads > 0 ? wanted_threads : real().omp_get_max_threads();
  const int limit =
      league_thread_limit() > 0 ? league_thread_limit() : real().omp_get_thread_limit();
  const unsigned each =
      real().omp_get_dynamic() != 0 ? node.threads_per_node() : node.most_threads_per_node();
  // Of a library that was loaded later, whose regions are all inside.
  const unsigned nodes = nodes_of_program(node.node_count());
  const auto most =
      std::min<std::uint64_t>(std::uint64_t{nodes} * each, static_cast<std::uint64_t>(limit));
  return static_cast<unsigned>(std::min<std::uint64_t>(static_cast<std::uint64_t>(wanted), most));
}

// A task that the serial part has made is in libomp's own memory, and so are the variables in it.
bool is_in_task_of_libomp() {
  return real().omp_in_explicit_task != nullptr && real().omp_in_explicit_task() != 0;
}

// What all regions and leagues have.
ParallelRegion new_region(Microtask microtask, std::span<void* const> arguments) {
  ParallelRegion region;
  region.number = ++regions;
  region.microtask = microtask;
  region.arguments.assign(arguments.begin(), arguments.end());
  region.outer_levels = static_cast<std::uint32_t>(real().omp_get_level());
  region.doacross_iterations = doacross_iterations_of_job();
  region.variables = present_control_variables();
  region.floating_point = present_floating_point();
  region.affinity_format = take_new_affinity_format();
  region.thread_local_images = thread_local_images(arguments);
  return region;
}

void run_on_all_nodes(Node& node, ParallelRegion& region) {
  std::optional<Publishing> publishing;
  if (threads_are_gathered) publishing.emplace(Publishing::How::kWait);
  flush_output();
  region.hints = hints_to_publish();
  leave_said_loop();
  node.publish(to_bytes(region), phase_of(region));
  run_local_part(node, region);
}

void fork_spanning(const Ident* loc, Node& node, Microtask microtask,
                   std::span<void* const> arguments, unsigned team_size, unsigned requested,
                   const TimesWanted& times) {
  ParallelRegion region = new_region(microtask, arguments);
  region.values = region_values(loc, arguments);
  region.team_size = team_size;
  region.times = times;
  region.proc_bind = std::exchange(wanted_proc_bind, 0);
  region.tool_note = tools::begin_region(requested);
  run_on_all_nodes(node, region);
}

// The one thread of a node in the spanning team is alone in libomp's eyes; it must not make teams
// that on one node would be too deep.
bool too_deep() {
  const Team* team = present_team();
  return team != nullptr && team->local_size == 1 &&
         real().omp_get_active_level() + 1 >= real().omp_get_max_active_levels();
}

void fork_inside(Ident* loc, InnerRegion region, std::int32_t team_size) {
  const std::int32_t gtid = real().__kmpc_global_thread_num(loc);
  if (too_deep()) {
    if (team_size > 0) tools::note_request(static_cast<unsigned>(team_size));
    team_size = 1;
  }
  if (team_size > 0) real().__kmpc_push_num_threads(loc, gtid, team_size);
  region.proc_bind = std::exchange(wanted_proc_bind, 0);
  if (region.proc_bind != 0) real().__kmpc_push_proc_bind(loc, gtid, region.proc_bind);
  const OutsideTeam outside;
  real().__kmpc_fork_call(loc, 1, reinterpret_cast<Microtask>(inner_thread), &region);
}

// Who forks a region goes on as its first thread.
int number_inside(const InnerRegion& region, std::int32_t thread, bool is_forker) {
  if (region.is_outermost) return thread;
  return is_forker ? number_in_job() : kNoThread;
}

// Threads of a team that might span are on program stacks, as they would be then.
void become_placed_thread(PlacedTeam& team, std::int32_t thread) {
  Node& node = *this_node();
  const auto number = static_cast<unsigned>(thread);
  if (number == 0 && real().omp_get_num_threads() != static_cast<int>(team.size)) {
    fail_for_lack_of_threads(node, team.size);
  }
  use_processors(number < node.threads_per_node() ? Processors::kOwn : Processors::kSpare);
  enter_program_stack(number);
  if (!team.shifts.empty()) team.shifts[number] = stand_in_for(number, team.threads_per_node);
  board::set_number(thread);
}

// All threads of a team that might span, on this node.
void fork_placed(Ident* loc, Node& node, InnerRegion region, unsigned team_size) {
  PlacedTeam team{.size = team_size,
                  .threads_per_node = threads_of_team_per_node(node, team_size),
                  .level = real().omp_get_level() + 1,
                  .reduction_lists = std::vector<void**>(team_size),
                  .shifts = {}};
  if (has_thread_local_data()) team.shifts.resize(team_size);
  region.placed = &team;
  fork_inside(loc, region, static_cast<std::int32_t>(team_size));
  // Not before: at the region's end a thread may have executed tasks when its own part was over.
  for (std::intptr_t* const shift : team.shifts) *shift = 0;
}

// A region inside this node, with none around it.
class OwnRegion {
 public:
  explicit OwnRegion(Node& node) : node_(node) { node.begin_own_region(); }
  ~OwnRegion() { node_.end_own_region(); }
  OwnRegion(const OwnRegion&) = delete;
  OwnRegion& operator=(const OwnRegion&) = delete;

 private:
  Node& node_;
};

void fork_several_nodes_threads(Ident* loc, Node& node, const InnerRegion& inner,
                                unsigned team_size, unsigned requested) {
  const RegionPlacement placement = enter_region_placement(node, inner.microtask, loc, team_size);
  if (placement.is_inside) {
    const OwnRegion own(node);
    fork_placed(loc, node, inner, team_size);
  } else {
    fork_spanning(loc, node, inner.microtask, inner.arguments, team_size, requested,
                  placement.times);
  }
  leave_region_placement();
}

void fork(Ident* loc, Microtask microtask, std::span<void* const> arguments) {
  imply_flush();
  const bool spans = may_span(microtask);
  InnerRegion inner = inner_region(microtask, arguments);
  inner.is_outermost = spans;
  on_runtime_stack([&] {
    if (!spans) return fork_inside(loc, inner, std::exchange(wanted_threads, 0));
    Node& node = *this_node();
    const unsigned team_size = choose_team_size(node);
    const unsigned requested =
        wanted_threads > 0 ? static_cast<unsigned>(wanted_threads) : team_size;
    wanted_threads = 0;
    if (team_size <= node.threads_per_node()) {
      tools::note_request(requested);
      const OwnRegion own(node);
      fork_inside(loc, inner, static_cast<std::int32_t>(team_size));
    } else {
      fork_several_nodes_threads(loc, node, inner, team_size, requested);
    }
  });
}

}  // namespace

// The data of a library that weftcc did not link is each node's own, so its regions are, too.
bool may_span(Microtask microtask) {
  const Node* node = this_node();
  const LeagueTeam* team = current_league_team();
  return node != nullptr && is_initial_thread(*node) && !in_league_of_libomp() &&
         (team == nullptr || team->teams == 1) &&
         is_in_program(reinterpret_cast<const void*>(microtask)) && present_team() == nullptr &&
         !is_in_task_of_libomp() && is_on_program_stack() && real().omp_get_active_level() == 0;
}

void fork_league(const Ident* loc, Microtask microtask, std::span<void* const> arguments,
                 unsigned teams, int thread_limit) {
  Node& node = *this_node();
  ParallelRegion region = new_region(microtask, arguments);
  region.teams = teams;
  region.variables.thread_limit =
      thread_limit > 0 ? thread_limit : real().omp_get_teams_thread_limit();
  if (enter_league_placement(node, microtask, loc)) {
    const OwnRegion own(node);
    run_league_inside(node, region);
  } else {
    run_on_all_nodes(node, region);
  }
  leave_region_placement();
}

InnerRegion inner_region(Microtask microtask, std::span<void* const> arguments) {
  return {.microtask = microtask,
          .arguments = arguments,
          .forker = is_on_program_stack() ? thread_token() : nullptr,
          .league_team = current_league_team()};
}

void inner_thread(std::int32_t* gtid, std::int32_t* thread, InnerRegion* region) {
  const bool is_forker = region->forker == thread_token();
  const JobThread numbered(number_inside(*region, *thread, is_forker), region->placed);
  if (region->placed != nullptr) become_placed_thread(*region->placed, *thread);
  display_affinity_in_region(region->proc_bind);
  const InLeagueTeam in_team(region->league_team);
  const bool on_program_stack = is_forker || region->placed != nullptr;
  const auto invoke = on_program_stack ? invoke_on_program_stack : invoke_here;
  invoke(region->microtask, *gtid, *thread, region->arguments.data(), region->arguments.size());
  imply_flush();
  if (region->placed != nullptr) board::set_number(board::kBetweenRegions);
}

std::vector<void*> collect_arguments(std::int32_t count, va_list list) {
  std::vector<void*> arguments(static_cast<std::size_t>(count));
  for (void*& argument : arguments) argument = va_arg(list, void*);
  return arguments;
}

void forget_clauses() { wanted_threads = wanted_proc_bind = 0; }

void become_main_thread() { is_main_thread = true; }

bool is_initial_thread(const Node& node) { return is_main_thread && node.self() == NodeId(0); }

}  // namespace weft::openmp

using namespace weft;
using namespace weft::openmp;

WEFT_ENTRY void __kmpc_fork_call(Ident* loc, std::int32_t count, Microtask microtask, ...) {
  WEFT_NOTE_CALL();
  va_list list;
  va_start(list, microtask);
  const std::vector<void*> arguments = collect_arguments(count, list);
  va_end(list);
  fork(loc, microtask, arguments);
}

WEFT_ENTRY void __kmpc_serialized_parallel(Ident* loc, std::int32_t gtid);
WEFT_ENTRY void __kmpc_end_serialized_parallel(Ident* loc, std::int32_t gtid);

// flang's parallel with an if clause.
WEFT_ENTRY void __kmpc_fork_call_if(Ident* loc, std::int32_t count, Microtask microtask,
                                    std::int32_t condition, void* argument) {
  WEFT_NOTE_CALL();
  const std::size_t arguments = count > 0 ? 1 : 0;
  if (condition != 0) return fork(loc, microtask, std::span(&argument, arguments));
  std::int32_t gtid = real().__kmpc_global_thread_num(loc);
  std::int32_t thread = 0;
  __kmpc_serialized_parallel(loc, gtid);
  if (arguments != 0)
    microtask(&gtid, &thread, argument);
  else
    microtask(&gtid, &thread);
  __kmpc_end_serialized_parallel(loc, gtid);
}

WEFT_ENTRY void __kmpc_serialized_parallel(Ident* loc, std::int32_t gtid) {
  imply_flush();
  // libomp calls it for its own regions of one thread, which are displayed elsewhere.
  const bool by_program = is_on_program_stack();
  const tools::CallSite outer = tools::call_site();
  const tools::Call noted_call(by_program ? __builtin_return_address(0) : outer.address,
                               by_program ? __builtin_frame_address(0) : outer.frame);
  on_runtime_stack([&] {
    forget_clauses();
    real().__kmpc_serialized_parallel(loc, gtid);
    serialized_regions.push_back({real().omp_get_level(), current_member()});
    set_current_member(nullptr);
    if (by_program) display_affinity_in_region(0);
  });
}

WEFT_ENTRY void __kmpc_end_serialized_parallel(Ident* loc, std::int32_t gtid) {
  WEFT_NOTE_CALL();
  imply_flush();
  on_runtime_stack([&] {
    const int level = real().omp_get_level();
    real().__kmpc_end_serialized_parallel(loc, gtid);
    if (serialized_regions.empty() || serialized_regions.back().level != level) return;
    set_current_member(serialized_regions.back().outer);
    serialized_regions.pop_back();
  });
}

WEFT_ENTRY void __kmpc_push_num_threads(Ident*, std::int32_t, std::int32_t threads) {
  wanted_threads = threads;
}

// As num_threads, but the program would rather be told than get fewer; the job's size still caps.
WEFT_ENTRY void __kmpc_push_num_threads_strict(Ident*, std::int32_t, std::int32_t threads, int,
                                               const char*) {
  wanted_threads = threads;
}

// num_threads with a list: the first number is this region's, the others those of regions inside
// it, which stay on the node and ask for their numbers themselves.
WEFT_ENTRY void __kmpc_push_num_threads_list(Ident*, std::int32_t, std::uint32_t count,
                                             const std::int32_t* threads) {
  if (count > 0) wanted_threads = threads[0];
}

WEFT_ENTRY void __kmpc_push_num_threads_list_strict(Ident*, std::int32_t, std::uint32_t count,
                                                    const std::int32_t* threads, int, const char*) {
  if (count > 0) wanted_threads = threads[0];
}

WEFT_ENTRY void __kmpc_push_proc_bind(Ident*, std::int32_t, int kind) { wanted_proc_bind = kind; }
