// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a job does about threads that wait for each other for ever.
#include <string>
#include <vector>

#include "weft/job/job.hpp"

namespace weft {

void JobSupervisor::look_for_deadlock() {
  if (options_.deadlock == JobOptions::Deadlock::kOff || ending_ || finished_) return;
  if (next_look_ <= Clock::now()) {
    next_look_ = Clock::now() + options_.look_period;
    deadlock_watch_.look();
  }
  if (deadlock_watch_.take_movement()) output_.announce("the job goes on: it was not stuck");
  if (const auto nodes = deadlock_watch_.take_finding()) report_deadlock(*nodes);
}

void JobSupervisor::report_deadlock(const std::vector<NodeView>& nodes) {
  std::vector<std::string> hosts;
  for (const Node& each : nodes_) hosts.push_back(hosts_.size() > 1 ? each.host->host() : "");
  output_.announce("no thread of the job can go on: all wait for each other, for ever");
  for (const std::string& line : deadlock_report(nodes, hosts)) output_.announce("  " + line);
  if (options_.deadlock == JobOptions::Deadlock::kAbort) end(1, "the job is ended");
}

}  // namespace weft
