// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What others ask of a running job at its socket (job/job_watch.hpp), and what follows from it.
#include <csignal>

#include "weft/job/endings.hpp"
#include "weft/job/job.hpp"

namespace weft {

void JobSupervisor::look(const ViewQuestion& question) {
  for (const auto& host : hosts_) host->look(question, *this);
}

JobPhase JobSupervisor::phase() const {
  if (ending_ || finished_ || !anybody_alive()) return JobPhase::kEnding;
  return stopped_ ? JobPhase::kStopped : JobPhase::kRunning;
}

void JobSupervisor::announce(const std::vector<std::string>& lines) {
  for (const std::string& each : lines) output_.announce(each);
}

void JobSupervisor::on_signal_wanted(int signal) {
  output_.announce(comes_by_kill(signal));
  if (signal == SIGKILL) {
    forwarded_signal_ = signal;
    end(128 + signal, "");
    kill_all(signal);
    // Whoever does not read what is left does not keep the job.
    output_.write_some();
    if (output_.waiting_for() >= 0) output_.drop();
    return;
  }
  const bool stops = signal == SIGSTOP || signal == SIGTSTP;
  if (stops || signal == SIGCONT) {
    stopped_ = stops;
    return kill_all(stops ? SIGSTOP : SIGCONT);
  }
  pass_on(signal);
}

}  // namespace weft
