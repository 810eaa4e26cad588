// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An agent's answers to the questions of `weft doctor --hosts` (agent_messages.hpp).
#pragma once

#include <optional>
#include <utility>

#include "base/bytes.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/examination/probe.hpp"

namespace weft {

class DoctorAnswers {
 public:
  using Answer = std::pair<AgentMessage, Bytes>;
  // Nothing if that is no question, or makes no sense. Blocks while the host is tried.
  [[nodiscard]] std::optional<Answer> answer(AgentMessage question, ByteView body);

 private:
  std::optional<ProbeServer> server_;
};

}  // namespace weft
