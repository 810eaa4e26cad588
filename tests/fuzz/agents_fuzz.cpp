// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher and its agents, and the tasks of another launcher, say to each other.
#include <sys/types.h>

#include "fuzz/fuzzed.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/task/task_facts.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  fuzzed::check_one_of<AgentHello, AgentPlan, NodeMessage, NodeSignal, NodeStream, NodeOutput,
                       NodeEnd, TaskFacts, std::vector<pid_t>>(fuzzed::input(data, size));
  return 0;
}
