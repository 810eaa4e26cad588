// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `weft doctor --hosts`: reaches all hosts at once as a job would, has each examined by an agent
// there, and tries a connection between each two of them, both ways.
#pragma once

#include "weft/run/run_options.hpp"

namespace weft {

// Prints what it finds. Returns 0 if jobs can run there, 1 if there are faults, 2 if the hosts make
// no sense.
int examine_hosts(const RunOptions& options, bool json, const char* version);

// True if the user names hosts, or Slurm has allocated some.
[[nodiscard]] bool concerns_hosts(const RunOptions& options);

}  // namespace weft
