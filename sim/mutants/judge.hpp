// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tries whether anything notices a mutant, each in a process of its own.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/mutants/trials.hpp"

namespace weft::mutants {

struct Verdict {
  std::optional<Stage> found_by;
  bool was_reached = false;
  std::string text;  // "seed 17", "seed 17: hang", "alive", "unreached"

  [[nodiscard]] static Verdict parse(const std::string& text);
};

class Judge {
 public:
  // The places in the order in which the trials know them. Both must outlive it.
  Judge(const std::vector<Place>& places, const std::vector<Trial>& trials);
  ~Judge();
  Judge(const Judge&) = delete;
  Judge& operator=(const Judge&) = delete;

  [[nodiscard]] bool is_reached(std::size_t place) const;
  // Starts a process that switches the place's mutants on; blocks not.
  [[nodiscard]] pid_t start(std::size_t place) const;
  // After it has ended with this status.
  [[nodiscard]] Verdict verdict_of(std::size_t place, int status) const;

 private:
  [[noreturn]] void try_mutant(std::size_t place) const;

  const std::vector<Place>& places_;
  const std::vector<Trial>& trials_;
  std::uint32_t* at_;  // by place, shared with the processes: the trial that each is at
};

}  // namespace weft::mutants
