// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a plan that says what is done: phases, and in each the roles of the cells.
#pragma once

#include "sim/programs/plan.hpp"

namespace weft::sim {

// Fills plan.phases; everything else of the plan is there.
void plan_phases(Random& random, Plan& plan);

// Some locks are taken by one thread and held into the next phase, through the barrier.
void hold_locks_over(Random& random, Plan& plan, unsigned chance);
// A sequencer's turns go on from phase to phase.
void number_turns(Plan& plan);

}  // namespace weft::sim
