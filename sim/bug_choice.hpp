// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// --list-bugs and --bug NAME, for the programs that are built with the deliberate bugs.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <optional>
#include <string_view>

#include "protocol/interface/bugs.hpp"

namespace weft::sim {

// Returns the exit status.
inline int list_bugs() {
  for (const BugName& bug : all_bugs()) {
    if (bug.bug != Bug::kNone) fmt::print("{:26} {}\n", bug.name, bug.meaning);
  }
  return 0;
}

// Activates the bug; says so and returns false if `program` knows none of that name.
inline bool choose_bug(std::string_view program, std::string_view name) {
  const std::optional<Bug> bug = find_bug(name);
  if (!bug) {
    fmt::print(stderr, "{}: there is no bug {}; --list-bugs names them\n", program, name);
    return false;
  }
  activate_bug(*bug);
  return true;
}

}  // namespace weft::sim
