// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All mutants of this program, and what became of each.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/mutants/mutant.hpp"

namespace weft::mutants {

enum class Verdict {
  kByScenario,  // a scenario went another way
  kByUnitTest,
  kBySeed,      // a simulated program read something wrong, or an assertion failed
  kByCrash,     // the process died
  kByHang,      // or did not come to an end
  kSurvived,    // nobody noticed
  kNotReached,  // nor came there
};

// One place and kind of mistake. A function in a header is compiled many times.
struct Place {
  std::string name;  // "src/protocol/x.cpp:12:3: negated: if (...) {"
  std::vector<Mutant*> mutants;

  [[nodiscard]] bool was_reached() const;
  void activate() const;
  [[nodiscard]] std::string file() const { return name.substr(0, name.find(':')); }
  // Without line and column, which change with every edit.
  [[nodiscard]] std::string key() const;
};

// In the order of their names.
[[nodiscard]] std::vector<Place> all_places();

// What is known to change nothing that anybody could notice: keys, each followed by a line that
// says why, indented. Throws std::runtime_error for a key without a reason.
[[nodiscard]] std::map<std::string, std::string> read_explained(const std::string& path);

struct Judged {
  const Place* place;
  Verdict verdict;
};

// A line for each file, then those that live without an explanation. Returns these in percent.
double print_table(const std::vector<Judged>& judged,
                   const std::map<std::string, std::string>& explained);

}  // namespace weft::mutants
