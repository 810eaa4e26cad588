// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of a job on several hosts: reaches all of them at once, asks each what it is, decides
// what follows from all answers (threads, networks), and starts the nodes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "weft/hosts/host_list.hpp"
#include "weft/job/job.hpp"
#include "weft/nodes/spawn.hpp"
#include "weft/run/run_options.hpp"

namespace weft {

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

// The command that starts an agent on that other host.
[[nodiscard]] std::vector<std::string> command_of(const Placement& placement,
                                                  const RunOptions& options);

struct HostedStart {
  std::vector<HostedNodes> hosts;
  int ended_by = 0;  // the signal by which the user gave the job up meanwhile; then no hosts
};

// Starts the nodes; when it fails, none is left. `plan` has what is the same for all hosts. The
// signals of the job must have been taken (take_signals). Blocks until all hosts have answered, a
// host fails, or a limit of time is over. `prepare` is called when it is known how many nodes there
// will be, before any of them starts; if it fails, none does.
[[nodiscard]] Result<HostedStart> start_on_hosts(const RunOptions& options,
                                                 const std::vector<Placement>& placements,
                                                 SpawnPlan plan, const char* version,
                                                 const std::function<Status(unsigned)>& prepare);

}  // namespace weft
