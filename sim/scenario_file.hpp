// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of scenarios (sim/scenarios).
#pragma once

#include <istream>
#include <string>

namespace weft::sim {

// A file of commands, each followed by its results, as it should be. A command is a line that
// begins with "> "; what follows it, down to the next empty line, is its result; all else is prose.
[[nodiscard]] std::string replay(std::istream& file);

}  // namespace weft::sim
