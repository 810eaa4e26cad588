// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How programs share memory, without what they compute: the programs of bench/mpi and some that
// live on locks.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "sim/scaling/program.hpp"

namespace weft::scaling {

struct Pattern {
  std::string_view name;
  std::string_view meaning;
  // Of memory that the program uses on so many nodes.
  std::uint64_t (*page_count)(std::uint16_t nodes);
  Program (*run)(Thread& self, unsigned iterations);
};

[[nodiscard]] const std::vector<Pattern>& all_patterns();
[[nodiscard]] const Pattern* find_pattern(std::string_view name);

}  // namespace weft::scaling
