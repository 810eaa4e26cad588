// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The mutants of this program, by where they are.
#pragma once

#include <string>
#include <vector>

#include "sim/mutants/mutant.hpp"

namespace weft::mutants {

// One place and kind of mistake. A function in a header is compiled many times.
struct Place {
  std::string file;  // "src/protocol/x.cpp"
  unsigned line = 0, column = 0;
  std::string what;  // "negated: if (...) {"
  // Without line and column, which change with every edit: "src/protocol/x.cpp: negated: ...", and
  // " #2" for the second of a file that would be called the same.
  std::string key;
  std::vector<Mutant*> mutants;

  [[nodiscard]] bool was_reached() const;
  void forget_reached() const;
  void activate() const;
};

// In the order of files and lines.
[[nodiscard]] std::vector<Place> all_places();

}  // namespace weft::mutants
