// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a launcher and its agents, the tasks of another launcher, and the doctor's hosts say to each
// other.
#include <sys/types.h>

#include "fuzz/fuzzed.hpp"
#include "weft/agent/agent_messages.hpp"
#include "weft/examination/examination.hpp"
#include "weft/examination/probe.hpp"
#include "weft/task/task_facts.hpp"
#include "weft/task/task_node.hpp"
#include "weft/watch/node_view.hpp"

namespace {

// Those that the launcher believes, by numbers that it then looks up.
void check_views(weft::ByteView bytes) {
  const auto views = weft::from_bytes<weft::HostViews>(bytes);
  if (!views || !weft::makes_sense(*views, 2, 3)) return;
  for (const weft::NodeView& each : views->nodes) {
    WEFT_ASSERT(each.node >= 2 && each.node < 5, "node {} is another host's", each.node);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft;
  const ByteView bytes = fuzzed::input(data, size);
  fuzzed::check_one_of<AgentHello, AgentPlan, NodeMessage, NodeSignal, NodeStream, NodeOutput,
                       NodeEnd, TaskFacts, std::vector<pid_t>, AgentReach, BelowFrame, BelowEnd,
                       ViewQuestion, HostViews, ListenRequest, Listening, ProbeTarget, ProbeResult,
                       Examination, TaskExchange>(bytes);
  check_views(bytes.empty() ? bytes : bytes.subspan(1));
  return 0;
}
