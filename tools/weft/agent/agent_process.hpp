// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The process that carries frames to the agent of another host: ssh, srun, or what the user has in
// their place. It is a child of the launcher, or of an agent that reaches further hosts.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "weft/agent/frame_link.hpp"

namespace weft {

class AgentProcess {
 public:
  // The command's standard input and output become the link. It has no terminal to ask at.
  static Result<std::unique_ptr<AgentProcess>> start(std::vector<std::string> command);
  // Closes the link, and waits some seconds for the end of the process before it kills it.
  ~AgentProcess();
  AgentProcess(const AgentProcess&) = delete;
  AgentProcess& operator=(const AgentProcess&) = delete;

  [[nodiscard]] FrameLink& link() { return link_; }
  [[nodiscard]] const FrameLink& link() const { return link_; }
  // Its standard error, not blocking.
  [[nodiscard]] int complaints() const { return complaints_; }
  // Takes in what it has printed there. False once that has ended.
  bool read_complaints();

  // The agent finds its stream ended, and leaves with all that it has started. Does not wait.
  void hang_up() { link_.close(); }
  // It has been given up: its end is not waited for.
  void give_up() { is_given_up_ = true; }
  // Why the stream has ended: what the command said, and how it left. Waits for its end.
  [[nodiscard]] std::string epitaph();

 private:
  AgentProcess(int in, int out, int complaints, pid_t process);
  // Waits for the process, and kills it after so long; returns how it ended, as waitpid() says it.
  int reap(int patience_ms);

  FrameLink link_;
  int complaints_;
  std::string said_;  // the end of what it printed there
  pid_t process_;
  bool is_given_up_ = false;
};

// Why a host is lost of which nothing was heard, or an agent ends that has heard nothing.
[[nodiscard]] std::string nothing_was_heard(std::string_view from, std::chrono::milliseconds limit);

}  // namespace weft
