// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries whether the scenarios and the simulator notice a mutant.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "sim/mutants/table.hpp"

namespace weft::mutants {

class Judge {
 public:
  // Reads the scenarios; throws std::runtime_error if they or `seeds` fail without any mutant. The
  // places that are reached know it then.
  Judge(const std::string& scenarios, std::uint64_t seeds);

  // Starts a process that switches the place's mutants on; blocks not. Its status says how it went.
  [[nodiscard]] pid_t start(const Place& place) const;
  [[nodiscard]] static Verdict verdict_of(int status);

 private:
  [[nodiscard]] bool scenarios_differ() const;
  [[nodiscard]] bool seeds_fail() const;
  [[noreturn]] void try_mutant(const Place& place) const;

  struct Scenario {
    std::string commands, expected;
  };
  std::vector<Scenario> scenarios_;
  std::uint64_t seeds_;
  std::uint64_t cpu_seconds_ = 0;  // so much at most for a mutant
};

}  // namespace weft::mutants
