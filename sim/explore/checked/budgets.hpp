// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Budgets of explorations in tests, and names of tests.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>

#include "sim/explore/explorer.hpp"

namespace weft::sim::explore {

constexpr double kNoLimit = 1e9;
// In steps: a slow machine sees as much as a fast one.
constexpr Budget kBriefly{kNoLimit, 5'000};
constexpr Budget kLonger{kNoLimit, 30'000};
constexpr Budget kLong{kNoLimit, 200'000};

inline std::string test_name(const std::string& name) {
  std::string plain = name;
  std::ranges::replace_if(
      plain, [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return plain;
}

}  // namespace weft::sim::explore
