// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of a plan that says what is done: phases, and in each the roles of the cells.
#pragma once

#include "sim/plan.hpp"

namespace weft::sim {

// Fills plan.phases; everything else of the plan is there.
void plan_phases(Random& random, Plan& plan);

}  // namespace weft::sim
