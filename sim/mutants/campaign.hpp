// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Judges many mutants, several at a time, and writes down what became of each as it goes: a run
// that is ended goes on where it was.
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <vector>

#include "sim/mutants/judge.hpp"
#include "sim/mutants/table.hpp"

namespace weft::mutants {

// A file with a line for each mutant that was tried: the verdict, a tab, and its key. The last line
// about a mutant counts.
class Journal {
 public:
  // Without a path it is kept nowhere.
  explicit Journal(const std::string& path);
  [[nodiscard]] static Verdicts read(const std::string& path);

  // One that was found stays found, and is not tried again.
  [[nodiscard]] bool was_found(const std::string& key) const;
  void note(const std::string& key, const Verdict& verdict);
  [[nodiscard]] Verdict verdict(const std::string& key) const;

 private:
  Verdicts verdicts_;
  std::ofstream file_;
};

// Tries those of `chosen` (indices of places) that were not found yet.
void judge_all(const Judge& judge, const std::vector<Place>& places,
               const std::vector<std::size_t>& chosen, std::size_t jobs, Journal& journal);

}  // namespace weft::mutants
