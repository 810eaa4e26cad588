// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Regions that stay on a node, and so are libomp's own.
#pragma once

#include <cstdarg>
#include <span>
#include <vector>

#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/team/league.hpp"
#include "openmp/team/placed_team.hpp"

namespace weft::openmp {

// The thread that forks such a region calls the microtask on its program stack, if it comes from
// there; the others where they are: a stack slot belongs to a thread of the spanning team, and
// these may have been other ones' threads earlier.
struct InnerRegion {
  Microtask microtask;
  std::span<void* const> arguments;
  const void* forker;             // null: nobody uses a program stack
  const LeagueTeam* league_team;  // that the region is in
  int proc_bind = 0;              // its clause, 0 if it has none
  bool is_outermost = false;      // the initial thread forks it, outside of all others
  PlacedTeam* placed = nullptr;   // it might have spanned nodes
};

// Of the calling thread. The arguments must outlive the region.
[[nodiscard]] InnerRegion inner_region(Microtask microtask, std::span<void* const> arguments);

// What libomp runs on each thread of the region.
void inner_thread(std::int32_t* gtid, std::int32_t* thread, InnerRegion* region);

// The variable arguments of a fork entry point.
[[nodiscard]] std::vector<void*> collect_arguments(std::int32_t count, va_list list);

// Clauses that were pushed for a parallel region that does not come.
void forget_clauses();

}  // namespace weft::openmp
