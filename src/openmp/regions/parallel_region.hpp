// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A parallel region that spans nodes: what node 0 publishes, and how each node runs its part.
//
//   node 0, main thread                     other nodes, main thread
//   publish(region) ─────────────────────►  wait_for_publication
//   libomp team of T                        libomp team of T
//     each on its program stack: the microtask, with the same arguments
//   the team's barrier ◄────────────────►   the team's barrier
//   libomp's join                           libomp's join
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/codec.hpp"
#include "base/threads/floating_point.hpp"
#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/placement/computed_times.hpp"
#include "openmp/regions/region_values.hpp"
#include "openmp/team/thread_local_block.hpp"
#include "openmp/tools/region_part.hpp"
#include "runtime/hints/hint.hpp"
#include "runtime/interface/node.hpp"

namespace weft::openmp {

// Internal control variables of node 0's main thread, which the region's threads inherit.
struct ControlVariables {
  std::int32_t threads = 0, chunk = 0, dynamic = 0, max_active_levels = 0;
  std::uint32_t schedule = 0;
  std::uint64_t allocator = 0;
  std::int32_t thread_limit = 0;  // of the teams construct around it; 0: none
  WEFT_FIELDS(self.threads, self.chunk, self.dynamic, self.max_active_levels, self.schedule,
              self.allocator, self.thread_limit)
  bool operator==(const ControlVariables&) const = default;
};
[[nodiscard]] ControlVariables present_control_variables();
void adopt_control_variables(const ControlVariables& variables);

// A league of several teams is published the same way.
struct ParallelRegion {
  std::uint64_t number = 0;  // counts the job's spanning regions
  Microtask microtask = nullptr;
  std::vector<void*> arguments;
  std::uint32_t team_size = 0;
  std::uint32_t teams = 0;                // of a league (league_part.hpp); 0: a parallel region
  std::uint32_t outer_levels = 0;         // regions of one thread around it
  std::uint64_t doacross_iterations = 0;  // of the job before this region
  std::int32_t proc_bind = 0;             // 0: no clause
  ControlVariables variables;
  FloatingPointControl floating_point;  // of the thread that begins it
  // Copies of node 0's thread-local data that arguments point into (copyin).
  std::vector<ThreadLocalImage> thread_local_images;
  std::vector<RegionValue> values;  // of variables that it only reads
  std::string affinity_format;      // if the program has set one since the last region
  tools::RegionNote tool_note;
  TimesWanted times;
  std::vector<Hint> hints;  // that the program has said since the last region
  WEFT_FIELDS(self.number, self.microtask, self.arguments, self.team_size, self.teams,
              self.outer_levels, self.doacross_iterations, self.proc_bind, self.variables,
              self.floating_point, self.thread_local_images, self.values, self.affinity_format,
              self.tool_note, self.times, self.hints)
};

// By a thread of a team that needs so many on this node, and has fewer.
[[noreturn]] void fail_for_lack_of_threads(Node& node, unsigned needed);

// The calling thread is the node's thread of that number, and about to run program code.
void enter_program_stack(unsigned local_number);

// Runs this node's threads of the region, and returns when the threads of all nodes have finished.
void run_local_part(Node& node, const ParallelRegion& region);

// Names what the program does from the region's beginning on.
[[nodiscard]] PhaseKey phase_of(const ParallelRegion& region);

// Calls a microtask with any number of arguments: where the thread is, or on its program stack.
void invoke_here(Microtask microtask, std::int32_t gtid, std::int32_t thread,
                 void* const* arguments, std::size_t count);
void invoke_on_program_stack(Microtask microtask, std::int32_t gtid, std::int32_t thread,
                             void* const* arguments, std::size_t count);

// On every node, before the program runs: the table of threadprivate copies (threadprivate.cpp).
void prepare_threadprivate(const Node& node);

// Regions that the calling thread begins may span nodes: it is the node's main thread.
void become_main_thread();
// True on the thread that runs the program's main: thread 0 of every spanning team.
[[nodiscard]] bool is_initial_thread(const Node& node);

}  // namespace weft::openmp
