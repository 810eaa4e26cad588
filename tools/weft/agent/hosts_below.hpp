// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hosts that an agent has reached for the launcher. It passes frames on as they are, both ways,
// and watches over its neighbours below: if one ends or is silent, it says so to those above.
#pragma once

#include <poll.h>

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weft/agent/agent_messages.hpp"
#include "weft/agent/agent_process.hpp"

namespace weft {

// Nothing here blocks, but for the end of a process that has closed its stream.
class HostsBelow {
 public:
  // `up` leads to the launcher, and outlives this. `stage` is the folder with the files that this
  // agent came with; empty: there is none.
  HostsBelow(FrameLink& up, std::string stage) : up_(up), stage_(std::move(stage)) {}

  // False if that cannot be meant.
  [[nodiscard]] bool reach(const AgentReach& wanted);
  [[nodiscard]] bool pass_down(const BelowFrame& frame);
  void send_to_all(AgentMessage kind, ByteView body);
  // For hosts whose nodes start from now on.
  void set_limit(std::chrono::milliseconds limit) { limit_ = limit; }

  // Adds what is to be waited for. It then goes to handle(), in the same order.
  void add_to(std::vector<pollfd>& waiting) const;
  void handle(std::span<const pollfd> polled);

  // They leave, with their nodes. Does not wait.
  void hang_up();
  // Waits until all are gone.
  void end() { hosts_.clear(); }

 private:
  struct Host {
    unsigned channel = 0;
    std::unique_ptr<AgentProcess> process;
    bool complains = true;           // its standard error is open
    std::uint64_t staged_bytes = 0;  // sent when the launcher was told last
    FrameLink::Clock::time_point told = {};
  };

  // A sentence if it cannot be reached.
  [[nodiscard]] std::string start(const AgentReach& wanted);
  void tell_of_staging(Host& host);
  void pass_up(Host& host);

  FrameLink& up_;
  std::string stage_;
  std::vector<Host> hosts_;
  std::chrono::milliseconds limit_{0};
};

}  // namespace weft
