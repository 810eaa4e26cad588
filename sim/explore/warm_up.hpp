// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The turns of a small world's program before those that are explored.
#pragma once

#include <string>

#include "sim/explore/world.hpp"

namespace weft::sim::explore {

// By the schedule of this name; throws Failure where something is wrong.
void warm_up(World& world, const Program& program, const std::string& schedule);

}  // namespace weft::sim::explore
