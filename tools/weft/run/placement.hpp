// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which hosts run how many of a job's nodes, and how each is reached.
#pragma once

#include <string>
#include <vector>

#include "base/result.hpp"
#include "weft/run/run_options.hpp"

namespace weft {

// For a host to answer, where the user allows silence for less, or for ever.
inline constexpr unsigned kStartSeconds = 60;

// A host with the nodes that it is to run.
struct Placement {
  std::string host;
  bool is_here = false;  // on this host
  unsigned nodes = 0;    // 0: one for each NUMA domain (--per-numa)
  // Of Slurm's allocation: srun starts the agent there, with so many processors. 0: ssh does.
  unsigned slurm_processors = 0;
};

// Where the job's nodes go, in the order of their numbers: to the hosts that the user names, else
// to those of Slurm's allocation. Empty: all on this host, and nothing was said of hosts. Hosts
// that get no node are left out.
[[nodiscard]] Result<std::vector<Placement>> place_nodes(const RunOptions& options);
// True if every node is on this host.
[[nodiscard]] bool are_all_here(const std::vector<Placement>& placements);

// The command that runs `command`, an agent's, on that other host.
[[nodiscard]] std::vector<std::string> command_of(const Placement& placement,
                                                  const RunOptions& options,
                                                  const std::vector<std::string>& command);

}  // namespace weft
