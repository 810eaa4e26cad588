// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What became of mutants, as a table.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "sim/mutants/judge.hpp"

namespace weft::mutants {

// Mutants that are known to live, and why: keys, each followed by a line that says why, indented.
// Throws std::runtime_error for a key without a reason.
using Explained = std::map<std::string, std::string>;
[[nodiscard]] Explained read_explained(const std::string& path);

using Verdicts = std::map<std::string, Verdict>;  // by key

struct Judged {
  const Place* place;
  Verdict verdict;
};

// A line for each file, then those that live without an explanation. Returns these in percent.
double print_table(const std::vector<Judged>& judged, const Explained& explained);

// Those that live, are not explained, and were found quickly by an earlier run: it left out of
// `late` what it found at once. Prints them; returns how many there are.
std::size_t print_unexpected(const std::vector<Judged>& judged, const Explained& explained,
                             const Verdicts& late);

}  // namespace weft::mutants
