// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The lines of `weft top`, without the terminal.
#pragma once

#include <string>
#include <vector>

#include "weft/jobs/job_state.hpp"

namespace weft {

// A job at two moments. What it did between them is told for each second; what a host or a node did
// is left out where it was not seen at both.
struct TwoLooks {
  const JobState& before;
  const JobState& now;
};

// The head, the table of hosts and nodes, and with `threads` a line for each thread.
[[nodiscard]] std::vector<std::string> top_lines(const std::string& job, const TwoLooks& looks,
                                                 bool threads);

}  // namespace weft
