// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The small worlds that there are: a folder of texts.
#pragma once

#include <string>
#include <vector>

#include "sim/explore/program.hpp"

namespace weft::sim::explore {

// Those of one text: the world of this name, and those that differ from it in something.
[[nodiscard]] std::vector<Program> load_worlds(const std::string& directory,
                                               const std::string& name);
// All of them, by name.
[[nodiscard]] std::vector<Program> load_all_worlds(const std::string& directory);
// The one called "WORLD" or "WORLD/NAME".
[[nodiscard]] Program load_world(const std::string& directory, const std::string& name);

}  // namespace weft::sim::explore
