// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/jobs/job_figures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "base/locks/lock_ids.hpp"
#include "base/text/json.hpp"
#include "protocol/interface/counters.hpp"
#include "weft/watch/deadlock.hpp"

namespace weft {
namespace {

// The number of a lock says of which kind it is (base/locks/lock_ids.hpp).
std::string name_of_lock(std::uint64_t lock) {
  switch (static_cast<LockKind>(lock & ((1U << kLockKindBits) - 1))) {
    case LockKind::kOwn:
      return "a lock of Weft's own";
    case LockKind::kCritical:
      return "a critical region";
    case LockKind::kLock:
    case LockKind::kNestLock:
      return "an OpenMP lock";
    case LockKind::kMutex:
      return "a mutex";
    case LockKind::kMonitor:
      return "a synchronisation object";
    case LockKind::kStaticGuard:
      return "the initialisation of a static variable";
    case LockKind::kAtomic:
      return "a large atomic object";
  }
  return "a lock";
}

std::uint64_t counter_of(const board::NodeSnapshot& board, std::uint64_t EngineCounters::* which) {
  const auto table = engine_counters();
  for (std::size_t at = 0; at < table.size() && at < board.counters.size(); ++at) {
    if (table[at].value == which) return board.counters[at];
  }
  return 0;
}

std::string counters_json(const board::NodeSnapshot& board) {
  JsonObject counters;
  const auto table = engine_counters();
  for (std::size_t at = 0; at < table.size() && at < board.counters.size(); ++at) {
    counters.add(table[at].name, board.counters[at]);
  }
  return counters.text();
}

std::string thread_json(const NodeView& node, const board::ThreadSnapshot& thread) {
  JsonObject object;
  object.add("tid", thread.thread);
  object.add_json("number", thread.number < 0 ? "null" : std::to_string(thread.number));
  const std::string wait = wait_of(thread);
  object.add_json("waits_for", wait.empty() ? "null" : json_string(wait));
  const std::string* const place = thread.is_waiting ? node.place_of(thread) : nullptr;
  object.add_json("place", place == nullptr ? "null" : json_string(*place));
  return object.text();
}

std::string node_json(const ObservedHost& host, const NodeView& node) {
  JsonObject object;
  object.add("node", node.node).add("host", host.name).add("state", word_for(node));
  if (!host.answered) return object.text();
  const Figures figures = figures_of(node);
  object.add("pid", process_of(node).pid)
      .add("memory_bytes", figures.memory_bytes)
      .add("processor_ms", figures.processor_ms);
  if (!node.shown) return object.text();
  object.add("faults", figures.faults)
      .add("messages", figures.messages)
      .add("message_bytes", figures.bytes)
      .add("epoch", node.shown->epoch)
      .add_json("counters", counters_json(*node.shown));
  std::vector<std::string> threads;
  for (const auto& each : programs_threads(node)) threads.push_back(thread_json(node, each));
  return object.add_json("threads", json_list(threads)).text();
}

}  // namespace

Figures& Figures::operator+=(const Figures& more) {
  memory_bytes += more.memory_bytes;
  processor_ms += more.processor_ms;
  faults += more.faults;
  messages += more.messages;
  bytes += more.bytes;
  threads += more.threads;
  waiting += more.waiting;
  return *this;
}

std::vector<board::ThreadSnapshot> programs_threads(const NodeView& node) {
  if (!node.shown) return {};
  std::vector<board::ThreadSnapshot> threads = node.shown->threads;
  std::erase_if(threads, [](const auto& each) { return each.is_wefts_own; });
  return threads;
}

ProcessView process_of(const NodeView& node) { return node.process.value_or(ProcessView()); }

Figures figures_of(const NodeView& node) {
  const ProcessView process = process_of(node);
  Figures figures{.memory_bytes = process.memory_bytes, .processor_ms = process.processor_ms};
  if (!node.shown) return figures;
  figures.faults = counter_of(*node.shown, &EngineCounters::faults);
  figures.messages = node.shown->messages_sent;
  figures.bytes = node.shown->bytes_sent;
  for (const auto& each : programs_threads(node)) {
    ++figures.threads;
    if (each.is_waiting) ++figures.waiting;
  }
  return figures;
}

Figures figures_of(const ObservedHost& host) {
  Figures sum;
  for (const NodeView& each : host.nodes) sum += figures_of(each);
  return sum;
}

Figures figures_of(const JobState& state) {
  Figures sum;
  for (const ObservedHost& each : state.hosts) sum += figures_of(each);
  return sum;
}

unsigned node_count(const JobState& state) {
  std::size_t count = 0;
  for (const ObservedHost& each : state.hosts) count += each.nodes.size();
  return static_cast<unsigned>(count);
}

std::string nodes_text(const JobState& state) {
  const unsigned seen = node_count(state);
  return seen == state.nodes ? std::to_string(seen) : fmt::format("{} of {}", seen, state.nodes);
}

std::string word_for(const JobState& state) {
  switch (state.phase) {
    case JobPhase::kStopped:
      return "stopped";
    case JobPhase::kEnding:
      return "ending";
    case JobPhase::kRunning:
      break;
  }
  return "running";
}

std::string word_for(const NodeView& node) {
  switch (process_of(node).phase) {
    case ProcessPhase::kUnknown:
      return "unknown";
    case ProcessPhase::kStopped:
      return "stopped";
    case ProcessPhase::kEnded:
      return "ended";
    case ProcessPhase::kRunning:
      break;
  }
  if (!node.shown) return "running";
  if (node.shown->state == board::NodeState::kStarting) return "starting";
  return node.shown->state == board::NodeState::kEnding ? "ending" : "running";
}

std::string wait_of(const board::ThreadSnapshot& thread) {
  if (!thread.is_waiting) return {};
  switch (thread.kind) {
    case board::WaitKind::kLock:
      return name_of_lock(thread.object);
    case board::WaitKind::kPageFault:
      return fmt::format("page {}", thread.object);
    case board::WaitKind::kOtherNode:
      return fmt::format("node {}", thread.object);
    default:
      return std::string(board::name_of(thread.kind));
  }
}

std::string waits_of(const NodeView& node) {
  if (!node.shown) return {};
  std::map<std::string, unsigned> counts;
  for (const auto& each : programs_threads(node)) {
    if (each.is_waiting) ++counts[wait_of(each)];
  }
  std::vector<std::pair<std::string, unsigned>> waits(counts.begin(), counts.end());
  std::ranges::sort(waits, [](const auto& one, const auto& two) {
    return one.second != two.second ? one.second > two.second : one.first < two.first;
  });
  std::vector<std::string> parts;
  for (const auto& [wait, count] : waits) parts.push_back(fmt::format("{} ({})", wait, count));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::vector<std::string> wait_lines(const JobState& state) {
  std::vector<NodeView> nodes;
  std::vector<std::string> hosts;
  for (const ObservedHost& host : state.hosts) {
    for (const NodeView& node : host.nodes) {
      if (!node.shown) continue;
      nodes.push_back(node);
      hosts.push_back(state.hosts.size() > 1 ? host.name : "");
    }
  }
  return wait_report(nodes, hosts);
}

std::string hosts_text(const JobState& state) {
  std::vector<std::string> parts;
  for (const ObservedHost& each : state.hosts) {
    const bool is_address = each.name.find(':') != std::string::npos;
    std::string part = is_address ? "[" + each.name + "]" : each.name;
    if (each.nodes.size() > 1) part += fmt::format(":{}", each.nodes.size());
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, ","));
}

std::string as_json(const std::string& name, const JobState& state, bool with_nodes) {
  std::vector<std::string> command, hosts, nodes;
  for (const std::string& each : state.command) command.push_back(json_string(each));
  for (const ObservedHost& host : state.hosts) {
    hosts.push_back(json_string(host.name));
    for (const NodeView& each : host.nodes) nodes.push_back(node_json(host, each));
  }
  const Figures sum = figures_of(state);
  JsonObject object;
  object.add("job", name)
      .add("state", word_for(state))
      .add("launcher_pid", state.pid)
      .add_json("command", json_list(command))
      .add("started_ms", state.started_ms)
      .add("running_ms", state.age_ms)
      .add_json("hosts", json_list(hosts))
      .add("node_count", node_count(state))
      .add("nodes_of_job", state.nodes)
      .add("memory_bytes", sum.memory_bytes)
      .add("processor_ms", sum.processor_ms)
      .add("faults", sum.faults)
      .add("messages", sum.messages)
      .add("message_bytes", sum.bytes);
  if (with_nodes) object.add_json("nodes", json_list(nodes));
  return object.text();
}

}  // namespace weft
