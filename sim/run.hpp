// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One seed, run and judged.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "protocol/engine.hpp"

namespace weft::sim {

struct Outcome {
  std::optional<std::string> failure;
  std::uint64_t trace_hash = 0;
  std::uint64_t event_count = 0;
  std::uint16_t node_count = 0;
  EngineCounters counters;
};

using LinePrinter = std::function<void(const std::string&)>;

class CoverageTable;

// Runs a seed; with a printer, tells it all that happens; with a table (of the build with
// deliberate bugs), adds what its engines have been through.
[[nodiscard]] Outcome run_seed(std::uint64_t seed, const LinePrinter& print = nullptr,
                               CoverageTable* table = nullptr);
// Runs a seed twice, and fails also if the two differ in anything.
[[nodiscard]] Outcome run_seed_twice(std::uint64_t seed);

}  // namespace weft::sim
