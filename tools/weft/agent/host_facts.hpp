// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher needs to know of a host before it starts nodes there.
#pragma once

#include "weft/agent/agent_messages.hpp"

namespace weft {

// Of this host, seen from this process: its addresses, and where ssh reached it. Its processors are
// left to whoever needs them.
[[nodiscard]] AgentHello facts_of_this_host(const char* version);

}  // namespace weft
