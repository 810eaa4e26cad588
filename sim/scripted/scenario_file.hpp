// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of scenarios (sim/scenarios).
#pragma once

#include <istream>
#include <string>

namespace weft::sim {

class CoverageTable;

// A file of commands, each followed by its results, as it should be. A command is a line that
// begins with "> "; what follows it, down to the next empty line, is its result; all else is prose.
// With a table (of the build with deliberate bugs), adds what the engines have been through.
[[nodiscard]] std::string replay(std::istream& file, CoverageTable* table = nullptr);

}  // namespace weft::sim
