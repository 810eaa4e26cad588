// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whoever waits asks the node of the thread that it waits for, once, and is told: two messages.
// What it is told is how far that thread has come by then, so a waiter that is behind asks seldom.
//
// A waiter that keeps up would ask for each iteration, and short iterations would take a round trip
// each. So it asks for more than it needs: for so many iterations that they take a few round trips
// to compute, as far as it has seen. Then little time goes into messages, and the wave of
// iterations is late by a few round trips only. The asked-for iterations mostly need nothing of the
// waiter, but they may (by a lock, for one): after a while it asks for just what it needs.
#include "openmp/loops/doacross_waits.hpp"

#include <algorithm>
#include <memory>
#include <optional>

#include "base/assert.hpp"
#include "base/codec.hpp"
#include "base/futex.hpp"
#include "openmp/schedules/doacross_board.hpp"
#include "openmp/team/team.hpp"
#include "runtime/board/board.hpp"
#include "runtime/output/output_order.hpp"
#include "runtime/waiting/patience.hpp"
#include "stacks/stacks.hpp"

namespace weft::openmp {
namespace {

// A wait that takes fewer round trips than the first is mostly messages, one that takes more than
// the second mostly computation.
constexpr std::int64_t kFewRoundTrips = 3, kManyRoundTrips = 12;
constexpr std::int64_t kShortestRoundTrip = 5'000;    // ns
constexpr std::int64_t kLongestPatience = 2'000'000;  // ns; with more than it needs
constexpr std::uint64_t kFarthest = std::uint64_t{1} << 20;

struct Waits {
  Waits(Node& own, unsigned threads)
      : node(own),
        threads_per_node(threads),
        board(threads),
        seen(std::make_unique<std::atomic<std::uint64_t>[]>(std::size_t{own.node_count()} *
                                                            threads)) {}

  Node& node;
  const unsigned threads_per_node;  // at most
  DoacrossBoard board;
  // How far the threads of other nodes were at the last news.
  const std::unique_ptr<std::atomic<std::uint64_t>[]> seen;
  std::atomic<std::uint32_t> news{0};
};
Waits* waits = nullptr;

using Kind = DoacrossMessage::Kind;

void note_news() {
  waits->news.fetch_add(1, std::memory_order_release);
  waits->node.wake(waits->news);
}

void tell(NodeId node, unsigned thread) {
  if (node == waits->node.self()) return note_news();
  waits->node.post(node, Service::kDoacross,
                   to_bytes(DoacrossMessage{Kind::kTold, thread, waits->board.posted(thread)}));
}

void handle(NodeId from, ByteView message) {
  const auto [kind, thread, value] = value_of<DoacrossMessage>(message);
  if (thread >= waits->threads_per_node) fail_unreadable("a thread's number", message.size());
  if (kind == Kind::kAsk) {
    if (waits->board.ask(thread, {from, value})) tell(from, thread);
    return;
  }
  waits->seen[std::size_t{from.value()} * waits->threads_per_node + thread].store(
      value, std::memory_order_release);
  note_news();
}

// A thread of the team, by its node and its number there.
struct Place {
  NodeId node;
  unsigned thread;
};

std::uint64_t progress_of(const Place& place) {
  if (place.node == waits->node.self()) return waits->board.posted(place.thread);
  return waits->seen[std::size_t{place.node.value()} * waits->threads_per_node + place.thread].load(
      std::memory_order_acquire);
}

// True if there is no need to be told.
bool ask(const Place& place, std::uint64_t value) {
  if (place.node == waits->node.self()) {
    return waits->board.ask(place.thread, {place.node, value});
  }
  waits->node.notify(place.node, Service::kDoacross,
                     to_bytes(DoacrossMessage{Kind::kAsk, place.thread, value}));
  return false;
}

// Until it is there, or the time has come.
bool wait_for_news(const Place& place, std::uint64_t value, std::optional<std::int64_t> until) {
  while (true) {
    const std::uint32_t seen = waits->news.load(std::memory_order_acquire);
    if (progress_of(place) >= value) return true;
    if (until && now_ns() >= *until) return false;
    const board::Purpose purpose(board::WaitKind::kDoacross, value);
    waits->node.wait_while(waits->news, seen, until);
  }
}

bool spin_for(const Place& place, std::uint64_t value) {
  if (place.node != waits->node.self()) return false;
  Patience patience(kWaitingForIteration);
  while (progress_of(place) < value) {
    patience.count_turn();
    if (!patience.lasts()) return false;
  }
  return true;
}

void wait_and_learn(DoacrossPace& pace, const Place& place, std::uint64_t value,
                    std::uint64_t end) {
  if (spin_for(place, value)) return;
  const std::uint64_t wanted = std::min(end, value + pace.ahead);
  const std::int64_t start = now_ns();
  if (ask(place, wanted)) return;
  const bool in_time = wait_for_news(
      place, value, wanted > value ? std::optional(start + kLongestPatience) : std::nullopt);
  const std::int64_t waited = now_ns() - start;
  pace.round_trip = std::max(kShortestRoundTrip, std::min(pace.round_trip, waited));
  if (!in_time) {
    pace.ahead /= 2;
    if (!ask(place, value)) (void)wait_for_news(place, value, std::nullopt);
  } else if (waited < kFewRoundTrips * pace.round_trip) {
    pace.ahead = std::min(kFarthest, pace.ahead * 2 + 1);
  } else if (waited > kManyRoundTrips * pace.round_trip) {
    pace.ahead /= 2;
  }
}

}  // namespace

void serve_doacross_waits(Node& node) {
  waits = new Waits(node, node.most_threads_per_node());  // for good: nodes end at different times
  node.serve(Service::kDoacross, [](NodeId from, ByteView message) {
    handle(from, message);
    return Bytes();
  });
}

void post_doacross(Member& member, std::uint64_t value) {
  const unsigned thread = member.local_number;
  if (has_new_output()) on_runtime_stack([] { settle_output(); });
  if (!waits->board.post(thread, value)) return;
  on_runtime_stack([&] {
    for (const DoacrossBoard::Ask& ask : waits->board.take(thread)) tell(ask.node, thread);
  });
}

void await_doacross(Member& member, unsigned thread, std::uint64_t value, std::uint64_t end) {
  const Team& team = *member.team;
  const Place place{NodeId(static_cast<NodeId::representation>(thread / team.threads_per_node)),
                    thread % team.threads_per_node};
  if (progress_of(place) >= value) return;
  on_runtime_stack([&] { wait_and_learn(member.doacross_pace, place, value, end); });
}

}  // namespace weft::openmp
