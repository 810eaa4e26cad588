// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs with a mesh: each of its points has a lock in an array of locks, and a value in each of
// some arrays of values beside it, which the lock guards.
#pragma once

#include "sim/programs/plan.hpp"

namespace weft::sim {

// In half of the plans locks and cells become those of a mesh, which lies in these pages. Drawn
// apart, so that the others are what they are.
void choose_mesh(Random random, Plan& plan, PageRange pages);

}  // namespace weft::sim
