// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What programs cost: exact counts of messages by kind, bytes, calls of memory, and all that
// engines count themselves. A rule that makes a program cheap and stops acting makes no program
// wrong: only its costs show that (docs/internals/simulator.md).
//
// Programs are the small worlds (sim/explore/worlds), in one order of events, and the patterns of
// the scaling study on few nodes. Each has two lines: its first turns, in which nodes learn what
// it does, and as many more.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/explore/program.hpp"
#include "sim/scaling/patterns.hpp"

namespace weft::sim::costs {

// "maximum\n  learning: ...\n  after: ...\n". Throws Failure if it goes wrong.
[[nodiscard]] std::string costs_of(const explore::Program& world);
// The same of "jacobi on 8 nodes".
[[nodiscard]] std::string costs_of(const scaling::Pattern& pattern, std::uint16_t nodes);

// All that there are, by name; `run` gives the text.
struct Entry {
  std::string name;
  std::function<std::string()> run;
};
[[nodiscard]] std::vector<Entry> all_entries(const std::string& worlds);

}  // namespace weft::sim::costs
