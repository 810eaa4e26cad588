// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/explore/world.hpp"

#include <cstring>

#include "protocol/context/coverage.hpp"
#include "sim/checkers/failure.hpp"
#include "sim/explore/arena.hpp"
#include "sim/explore/world_node.hpp"

namespace weft::sim::explore {

World::World(const Program& program, Printer print)
    : program_(program),
      print_(std::move(print)),
      oracle_(program.plan, initial_),
      hosts_(program.nodes_per_host),
      threads_(program.plan.thread_count()),
      channels_(std::size_t{2} * program.config().node_count * program.config().node_count),
      locks_(program.locks.size()) {
  for (std::uint16_t index = 0; index < program.config().node_count; ++index) {
    EngineConfig config = program.config();
    config.self = NodeId(index);
    nodes_.push_back(std::make_unique<Node>(*this, config));
  }
  for (std::size_t index = 0; index < threads_.size(); ++index) {
    Thread& thread = threads_[index];
    const unsigned local = program.plan.threads_per_node;
    const unsigned team = program.plan.team_size();
    thread.index = static_cast<ThreadIndex>(index);
    thread.is_outsider = index >= team;
    thread.node = thread.is_outsider ? program.outsiders[index - team].node
                                     : static_cast<std::uint16_t>(index / local);
    thread.local = static_cast<std::uint16_t>(thread.is_outsider ? index : index % local);
    if (thread.is_outsider) {
      thread.state = State::kDone;
    } else {
      skip_what_is_not_due(thread);
    }
  }
}

World::~World() = default;

std::vector<const EngineCounters*> World::counters() const {
  std::vector<const EngineCounters*> all;
  for (const auto& node : nodes_) all.push_back(&node->engine.counters());
  return all;
}

void World::begin_turns_explored() {
  explored_ = true;
  for (Thread& thread : threads_) {
    if (!thread.is_outsider) continue;
    const auto creator = static_cast<ThreadIndex>(thread.node * program_.plan.threads_per_node);
    oracle_.acquire(thread.index, oracle_.release(creator));
    thread.state = State::kReady;
    thread.turn = program_.warm;
    skip_what_is_not_due(thread);
  }
}

bool World::has_outsiders(std::uint16_t node) const {
  if (program_.moves) return true;
  for (const Thread& thread : threads_) {
    if (!thread.is_outsider || thread.node != node || thread.state == State::kDone) continue;
    if (program_.outsiders[thread.index - program_.plan.team_size()].is_told) return true;
  }
  return false;
}

bool World::all_reached(unsigned turn) const {
  for (const Thread& thread : threads_) {
    if (!thread.is_outsider && thread.turn < turn) return false;
  }
  return true;
}

void World::list_events(std::vector<Event>& events, unsigned end) const {
  events.clear();
  for (const Thread& thread : threads_) {
    if (thread.state == State::kReady && thread.turn < end) events.push_back(thread.index);
  }
  for (std::size_t channel = 0; channel < channels_.size(); ++channel) {
    if (channels_[channel].messages.empty()) continue;
    events.push_back(static_cast<Event>(kFirstChannel + channel));
  }
  if (program_.races && explored_) add_races(events);
  // In the first turns nobody gives up before there is nothing else to do.
  if (!explored_ && !events.empty()) return;
  for (const auto& node : nodes_) {
    if (looks_for_others(*node)) events.push_back(node->waiting);
  }
}

void World::run(Event event) {
  const Event twin = without_race(event);
  begin_race(event);
  if (twin >= kFirstChannel) {
    deliver(twin - kFirstChannel);
  } else if (Node& node = node_at(threads_[twin]); looks_for_others(node) && node.waiting == twin) {
    look_for_others(node);
  } else {
    Thread& thread = threads_[twin];
    SIM_CHECK(thread.state == State::kReady, "thread {} cannot go on here", twin);
    run_step(thread);
  }
  calls_until_race_ = 0;
  check_invariants();
}

void World::send(NodeId from, NodeId to, Priority priority, Bytes message,
                 std::span<const ByteView> lent) {
  const std::size_t pair = std::size_t{from.value()} * program_.config().node_count + to.value();
  std::vector<Message>& messages =
      channels_[2 * pair + (priority == Priority::kData ? 1 : 0)].messages;
  if (print_) {
    say(fmt::format("  node {}: to node {}, {}: {}", from.value(), to.value(),
                    priority == Priority::kData ? "data" : "control", describe(message)));
  }
  messages.push_back({std::move(message), {}});
  Message& sent = messages.back();
  if (program_.reads_late) {
    sent.lent.assign(lent.begin(), lent.end());
  } else {
    for (const ByteView view : lent) {
      sent.bytes.insert(sent.bytes.end(), view.begin(), view.end());
    }
  }
}

void World::deliver(std::uint32_t channel) {
  const std::uint32_t pair = channel / 2, nodes = program_.config().node_count;
  std::vector<Message>& messages = channels_[channel].messages;
  SIM_CHECK(!messages.empty(), "no message can arrive here");
  Message message = std::move(messages.front());
  messages.erase(messages.begin());
  for (const ByteView view : message.lent) {
    message.bytes.insert(message.bytes.end(), view.begin(), view.end());
  }
  if (print_) {
    say(fmt::format("node {} gets from node {}: {}", pair % nodes, pair / nodes,
                    describe(message.bytes)));
  }
  const NodeId from(static_cast<std::uint16_t>(pair / nodes));
  enter(*nodes_[pair % nodes], [&](Engine& engine) { engine.handle_message(from, message.bytes); });
}

std::uint64_t World::progress(Event step) const {
  const Thread& thread = threads_[without_race(step)];
  return std::uint64_t{thread.turn} << 32 | thread.at;
}

std::uint16_t World::node_of(Event event) const {
  const Event twin = without_race(event);
  if (is_step(event)) return threads_[twin].node;
  const unsigned nodes = program_.config().node_count;
  return static_cast<std::uint16_t>((twin - kFirstChannel) / 2 % nodes);
}

bool World::is_control(Event arrival) const {
  return (without_race(arrival) - kFirstChannel) % 2 == 0;
}

std::string World::name(Event event) const {
  if (is_race(event)) return name_of_race(event);
  if (event < kFirstChannel) return fmt::format("t{}", event);
  const unsigned channel = event - kFirstChannel, nodes = program_.config().node_count;
  return fmt::format("{}>{}{}", channel / 2 / nodes, channel / 2 % nodes,
                     channel % 2 == 0 ? "c" : "d");
}

// Counters count, and are put aside; but for the barriers, which follow from where the threads are,
// they decide nothing. Nor does what was covered: its counts were moved away.
std::uint64_t World::fingerprint() {
  const Arena::Use outside(false);
  std::vector<EngineCounters> counters;
  const auto counters_of = [](const std::unique_ptr<Node>& node) {
    return const_cast<EngineCounters*>(&node->engine.counters());
  };
  for (const auto& node : nodes_) {
    counters.push_back(*counters_of(node));
    *counters_of(node) = EngineCounters{};
  }
  const std::vector<Features> active = exchange_active({});
  const std::uint64_t fingerprint = Arena::fingerprint(this);
  for (std::size_t index = 0; index < nodes_.size(); ++index) {
    *counters_of(nodes_[index]) = counters[index];
  }
  (void)exchange_active(active);
  return fingerprint;
}

#ifdef WEFT_DELIBERATE_BUGS

namespace {

Coverage& coverage_of(const Engine& engine) { return const_cast<Coverage&>(engine.coverage()); }

}  // namespace

void World::count_into(CoverageCounts& counts) {
  for (const auto& node : nodes_) coverage_of(node->engine).count_into(counts);
}

void World::end_step_of_coverage(bool at_end) {
  for (const auto& node : nodes_) {
    if (at_end) coverage_of(node->engine).end_epoch();
    coverage_of(node->engine).end_input();
  }
}

// Of each engine; none of any, if `active` is empty.
std::vector<Features> World::exchange_active(const std::vector<Features>& active) {
  std::vector<Features> before;
  for (std::size_t index = 0; index < nodes_.size(); ++index) {
    const Features next = active.empty() ? Features() : active[index];
    before.push_back(coverage_of(nodes_[index]->engine).exchange_active(next));
  }
  return before;
}

#else

std::vector<Features> World::exchange_active(const std::vector<Features>& active) { return active; }

#endif

void World::say(const std::string& line) const {
  if (print_) print_(line);
}

}  // namespace weft::sim::explore
