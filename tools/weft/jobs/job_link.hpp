// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This user's running jobs on this host, and a command's connection to each.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/result.hpp"
#include "weft/agent/frame_link.hpp"
#include "weft/jobs/job_state.hpp"

namespace weft {

class JobLink {
 public:
  using Clock = std::chrono::steady_clock;

  // Takes over the connection to the socket of that name.
  JobLink(std::string name, int connection);

  [[nodiscard]] const std::string& name() const { return name_; }
  // Of the launcher.
  [[nodiscard]] pid_t pid() const { return pid_; }

  // An answer is to be taken before the next request.
  void ask(JobMessage kind, const JobRequest& request);
  // For the answer to come until then; blocks. A sentence if there is none: it was refused, the job
  // has ended, or it is silent.
  [[nodiscard]] Result<JobState> state(Clock::time_point limit);
  [[nodiscard]] Status done(Clock::time_point limit);
  // Readable when state() would not block for long.
  [[nodiscard]] int descriptor() const { return link_.in(); }
  [[nodiscard]] bool has_ended() const { return !link_.is_open(); }
  // Blocks until the job has ended.
  void wait_for_end();

 private:
  [[nodiscard]] Result<StreamFrame> answer(Clock::time_point limit);
  // Blocks until something has come, or the limit; false then.
  bool wait(int milliseconds);

  std::string name_;
  FrameLink link_;
  pid_t pid_ = 0;
};

// How long a job may take to answer: it asks its hosts, and they are given two seconds.
inline constexpr std::chrono::seconds kAnswerLimit{5};

// Those of this user on this host, by name. Sockets at which nobody listens are removed.
[[nodiscard]] Result<std::vector<std::unique_ptr<JobLink>>> find_jobs();
// The one of that name; with no name, the only one that there is.
[[nodiscard]] Result<std::unique_ptr<JobLink>> find_job(const std::string& name);

}  // namespace weft
