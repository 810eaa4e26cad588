// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where each region of several nodes' threads runs: asks the choice (spread_choice.hpp), gives it
// the times, and keeps the account for `weft run --stats`. By node 0's main thread, but for
// start_placement() and use_processors().
#pragma once

#include "openmp/libomp/kmp_abi.hpp"
#include "openmp/placement/computed_times.hpp"

namespace weft::openmp {

// On every node, before the program runs.
void start_placement(Node& node);

// A region begins, of so many threads, more than a node has. `loc`: its place in the source. Every
// call is followed by leave_region_placement(), when the region has ended.
struct RegionPlacement {
  bool is_inside = false;
  TimesWanted times;
};
[[nodiscard]] RegionPlacement enter_region_placement(Node& node, Microtask microtask,
                                                     const Ident* loc, unsigned team_size);
// The same of a league of several teams. Whether it is inside.
[[nodiscard]] bool enter_league_placement(Node& node, Microtask microtask, const Ident* loc);
void leave_region_placement();

// The calling thread is about to run as a thread of a team: on the processors of this host's other
// nodes, which have no use for them while a team is inside this one, or on this node's own.
enum class Processors : std::uint8_t { kOwn, kSpare };
void use_processors(Processors wanted);

}  // namespace weft::openmp
