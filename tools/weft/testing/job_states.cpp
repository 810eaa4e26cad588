// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/testing/job_states.hpp"

#include "protocol/interface/counters.hpp"

namespace weft::testing {
namespace {

NodeView node_of(unsigned number) {
  NodeView node;
  node.node = number;
  node.process = ProcessView{.pid = static_cast<pid_t>(1000 + number),
                             .phase = ProcessPhase::kRunning,
                             .memory_bytes = 1U << 20,
                             .processor_ms = 100 * number};
  board::NodeSnapshot& board = node.shown.emplace();
  board.node = number;
  board.state = board::NodeState::kComputing;
  board.messages_sent = 10 * number;
  board.bytes_sent = 1000 * number;
  for (const CounterInfo& each : engine_counters()) {
    board.counters.push_back(each.value == &EngineCounters::faults ? 5 * number : 0);
  }
  return node;
}

}  // namespace

board::ThreadSnapshot thread_of(std::int64_t number, board::WaitKind kind, std::uint64_t object) {
  board::ThreadSnapshot thread;
  thread.thread = static_cast<std::uint32_t>(2000 + number);
  thread.number = number;
  thread.is_waiting = kind != board::WaitKind::kNone;
  thread.kind = kind;
  thread.object = object;
  return thread;
}

JobState job_of(const std::vector<std::pair<std::string, unsigned>>& hosts) {
  JobState state;
  state.pid = 999;
  state.command = {"./heat"};
  state.age_ms = 61'000;
  unsigned next = 0;
  for (const auto& [name, count] : hosts) {
    state.nodes += count;
    ObservedHost& host = state.hosts.emplace_back();
    host.name = name;
    host.answered = true;
    for (unsigned each = 0; each < count; ++each) host.nodes.push_back(node_of(next++));
  }
  return state;
}

}  // namespace weft::testing
