// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A node's part of a league that spans nodes. Teams are divided into blocks, one for each node, in
// their order. As many teams of a node run at once as it has threads; each of these executes some
// of them, one after the other, and divides what threads are left among their parallel regions.
//
//   node 0                      node 1
//   thread 0: teams 0, 1, 2     thread 0: teams 5, 6, 7     a league of 10 on 2 nodes of 2
//   thread 1: teams 3, 4        thread 1: teams 8, 9
//
// A league inside node 0 (openmp/placement) has one block, and as many teams of it run at once as
// would on all nodes together.
//
// Towards libomp the part is a league of its own, so that levels, control variables and the threads
// of inner regions are as in one on one node.
#pragma once

#include "openmp/regions/parallel_region.hpp"

namespace weft::openmp {

// A range of consecutive numbers.
struct TeamBlock {
  unsigned first = 0, count = 0;
};
// The part of `count` things that is the n-th of `parts`; the first ones get what is left over.
[[nodiscard]] TeamBlock block_of(unsigned count, unsigned n, unsigned parts);

// Runs this node's teams, and returns when the teams of all nodes have finished.
void run_league_part(Node& node, const ParallelRegion& region);

// All its teams run on this node, by all threads of the job, and have as many threads as they would
// have there.
void run_league_inside(Node& node, const ParallelRegion& region);

// This node executes teams of such a league.
[[nodiscard]] bool runs_league_part();

}  // namespace weft::openmp
