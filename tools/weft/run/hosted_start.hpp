// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The start of a job on several hosts: reaches all of them at once, asks each what it is, decides
// what follows from all answers (threads, networks), and starts the nodes.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "weft/agent/remote_nodes.hpp"
#include "weft/job/job.hpp"
#include "weft/nodes/spawn.hpp"
#include "weft/run/placement.hpp"
#include "weft/run/run_options.hpp"
#include "weft/staging/stage.hpp"

namespace weft {

struct HostedStart {
  std::vector<HostedNodes> hosts;
  // Of a stage on this host, an agent that does nothing: its end removes the stage, also if this
  // process is killed. To be kept until the job's end.
  std::unique_ptr<RemoteNodes> keeper;
  int ended_by = 0;  // the signal by which the user gave the job up meanwhile; then no hosts
};

// Starts the nodes; when it fails, none is left. `plan` has what is the same for all hosts. If
// there is a stage, all hosts get it first, this one too if it has nodes. The signals of the job
// must have been taken (take_signals). Blocks until all hosts have answered, a host fails, or a
// limit of time is over. `prepare` is called when it is known how many nodes there will be, before
// any of them starts; if it fails, none does.
[[nodiscard]] Result<HostedStart> start_on_hosts(const RunOptions& options,
                                                 const std::vector<Placement>& placements,
                                                 SpawnPlan plan, const std::optional<Stage>& stage,
                                                 const char* version,
                                                 const std::function<Status(unsigned)>& prepare);

}  // namespace weft
