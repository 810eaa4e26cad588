// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What may notice a mutant: many trials, the quick ones first. Each is gone through once without
// any mutant, and remembers which places it reached: the mutants of others it cannot notice.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/mutants/places.hpp"

namespace weft::mutants {

// Kinds of trials, in their order.
enum class Stage : std::uint8_t {
  kScenario,  // goes another way
  kCost,      // of a program: other numbers of messages, calls, and so on
  kUnitTest,
  kSeed,   // a simulated program read something wrong, or an assertion failed
  kWorld,  // the same of a small one, in many orders of events
};
inline constexpr std::array<const char*, 5> kStages = {"scenario", "cost", "unit test", "seed",
                                                       "world"};

struct Trial {
  Stage stage = Stage::kScenario;
  std::string name;                // "seed 17"
  std::function<bool()> fails;     // may throw, which is a failure as well
  std::vector<bool> reached = {};  // by the index of the place
};

struct TrialOptions {
  std::string scenarios, worlds;  // folders
  std::uint64_t seeds = 300;
  std::uint64_t world_steps = 0;  // in each world; 0: without worlds
};

// Throws std::runtime_error if one of them fails without any mutant.
[[nodiscard]] std::vector<Trial> make_trials(const TrialOptions& options,
                                             const std::vector<Place>& places);

}  // namespace weft::mutants
