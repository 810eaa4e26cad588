// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a sharing pattern scales: an iteration in steady state on more and more nodes.
#pragma once

#include <string>
#include <vector>

#include "sim/scaling/model_job.hpp"
#include "sim/scaling/patterns.hpp"

namespace weft::scaling {

// One iteration, all nodes together: the difference between runs of 2 k and k of them.
struct Iteration {
  std::uint16_t nodes = 0;
  double time_us = 0;
  std::array<double, kActivities> share{};  // of the threads' time, by activity
  double messages = 0, bytes = 0, faults = 0, notices = 0;
  double kept_bytes = 0;      // by all engines, at the end of the longer run
  double most_of_a_node = 0;  // bytes that one engine had at any time
};

[[nodiscard]] Iteration measure(const Pattern& pattern, const LogGP& model, std::uint16_t nodes,
                                unsigned iterations);

struct StudyOptions {
  LogGP model;
  std::vector<std::uint16_t> nodes = {16, 64, 256};
  std::vector<std::string> programs;  // none: all
  unsigned iterations = 8;            // k
  bool as_json = false;
};

// Prints a table, or JSON. Returns the exit status.
int run_study(const StudyOptions& options);

}  // namespace weft::scaling
