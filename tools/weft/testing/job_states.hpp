// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For tests: states of jobs that nobody runs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "weft/jobs/job_state.hpp"

namespace weft::testing {

// A thread that waits; with kNone, one that does not.
board::ThreadSnapshot thread_of(std::int64_t number, board::WaitKind kind,
                                std::uint64_t object = 0);

// A job of so many nodes on these hosts, all of which have answered. Node n has sent 10 n messages
// of 100 bytes, has had 5 n faults, used 100 n ms of a processor, and takes a mebibyte.
JobState job_of(const std::vector<std::pair<std::string, unsigned>>& hosts);

}  // namespace weft::testing
