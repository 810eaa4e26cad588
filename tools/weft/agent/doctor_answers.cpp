// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/agent/doctor_answers.hpp"

#include "base/codec.hpp"
#include "weft/examination/examination.hpp"

namespace weft {

std::optional<DoctorAnswers::Answer> DoctorAnswers::answer(AgentMessage question, ByteView body) {
  switch (question) {
    case AgentMessage::kExamine:
      return Answer(AgentMessage::kExamined, to_bytes(examine_this_host()));
    case AgentMessage::kListen: {
      const auto request = from_bytes<ListenRequest>(body);
      if (!request || server_) return std::nullopt;
      server_.emplace();
      const auto port = server_->listen(request->address, request->token);
      const Listening listening{.port = port ? port.value() : std::uint16_t{0},
                                .error = port.error()};
      return Answer(AgentMessage::kListening, to_bytes(listening));
    }
    case AgentMessage::kProbe: {
      const auto target = from_bytes<ProbeTarget>(body);
      if (!target) return std::nullopt;
      return Answer(AgentMessage::kProbed, to_bytes(probe(*target)));
    }
    default:
      return std::nullopt;
  }
}

}  // namespace weft
