// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A random program as solvers are: few cells, a handful of phases, and a loop around them that
// turns tens of times, in which threads do the same each time. So all that the protocol learns is
// learnt, and is then disturbed: a cell is used otherwise, once or from now on, a node is late, a
// phase is left out or comes twice.
#pragma once

#include "sim/programs/plan.hpp"

namespace weft::sim {

[[nodiscard]] Plan make_iterative_plan(Random& random);
// For the loop's rules to come into play; like choose_policies, apart from the plan.
void choose_iterative_policies(Random random, EngineConfig& config);

}  // namespace weft::sim
