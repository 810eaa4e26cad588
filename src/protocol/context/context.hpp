// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What all parts of one node's engine share.
#pragma once

#include <span>
#include <utility>

#include "base/ids.hpp"
#include "protocol/context/barrier_states.hpp"
#include "protocol/context/coverage.hpp"
#include "protocol/context/held_departures.hpp"
#include "protocol/context/sightings.hpp"
#include "protocol/context/unanswered_stores.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/interface/counters.hpp"
#include "protocol/interface/effects.hpp"
#include "protocol/interface/engine_config.hpp"
#include "protocol/interface/exposed_memory.hpp"
#include "protocol/messages/link_counts.hpp"
#include "protocol/messages/message_codec.hpp"

namespace weft {

struct Context {
  const EngineConfig config;
  PageMemory& memory;
  Effects& effects;
  ExposedMemory& exposed;
  EngineCounters counters = {};
  Epoch epoch = {};
  LinkCounts links = {};
  Sightings sightings = {};
  UnansweredStores stores = {};
  // Departures that are passed down are held now.
  bool holds_departures = false;
  HeldDepartures held = {};
  Machine<BarrierStates> barrier{BarrierState::kRunning};

#ifdef WEFT_DELIBERATE_BUGS
  Coverage coverage{};
#endif

  // The only way by which the state of a lock or barrier changes. `which` names it in a failure.
  template <typename Table>
  void turn(Machine<Table>& machine, typename Table::Event event, std::uint64_t which) {
    [[maybe_unused]] const std::size_t row = machine.turn(event, which);
#ifdef WEFT_DELIBERATE_BUGS
    coverage.note_row<Table>(row);
#endif
  }
  void turn_barrier(BarrierEvent event) { turn(barrier, event, epoch.value()); }
  // From the moment that the notices of all nodes are known until the next epoch begins: page
  // states are those of the next epoch already, final updates may still be on their way.
  [[nodiscard]] bool is_departing() const { return barrier == BarrierState::kDeparting; }

  [[nodiscard]] bool is_self(NodeId node) const { return node == config.self; }

  template <typename Message>
  void send(NodeId to, Priority priority, const Message& message) {
    if (!WEFT_BUG(kOvertakeHeld)) send_held();
    effects.send(to, priority, encoded(to, message, 0));
  }

  // Keeps the departure until something is sent: then it goes first, or in the same message.
  void hold(NodeId to, const BarrierDepart& departure) {
    Bytes bytes = encoded(to, departure, 0);
    if (bytes.size() > config.held_departure_bytes) {
      send_held();
      effects.send(to, Priority::kControl, std::move(bytes));
    } else {
      held.keep(to, std::move(bytes));
    }
  }
  void send_held() {
    if (held.empty()) return;
    for (auto& [to, message] : held.take_all()) {
      effects.send(to, Priority::kControl, std::move(message));
    }
  }
  void send_behind_held(NodeId to, const Publish& message) {
    const Bytes departure = held.take(to);
    if (departure.empty()) return effects.send(to, Priority::kControl, encoded(to, message, 0));
    const Bytes publication = encode(epoch, message);
    Bytes both = encode(epoch, Together{{departure, publication}});
    counters.message_bytes += both.size() - departure.size();
    effects.send(to, Priority::kControl, std::move(both));
  }

  // A message that ends with LentBytes: lent, or copied now.
  template <typename Message>
  void send_with(NodeId to, Priority priority, const Message& message,
                 std::span<const ByteView> lent) {
    send_held();
    effects.send_with(to, priority, encoded(to, message, size_of(lent)), lent);
  }
  // A message that ends with LentBytes: these, which go with it.
  template <typename Message>
  void send_tail(NodeId to, Priority priority, const Message& message, Bytes tail) {
    send_held();
    Bytes bytes = encoded(to, message, tail.size());
    effects.send_tail(to, priority, std::move(bytes), std::move(tail));
  }
  template <typename Message>
  void send_with_copy(NodeId to, Priority priority, const Message& message,
                      std::span<const ByteView> copied) {
    send_held();
    Bytes bytes = encoded(to, message, size_of(copied));
    for (const ByteView piece : copied) bytes.insert(bytes.end(), piece.begin(), piece.end());
    effects.send(to, priority, std::move(bytes));
  }

 private:
  [[nodiscard]] static std::size_t size_of(std::span<const ByteView> pieces) {
    std::size_t size = 0;
    for (const ByteView piece : pieces) size += piece.size();
    return size;
  }

  template <typename Message>
  Bytes encoded(NodeId to, const Message& message, std::size_t lent_bytes) {
    WEFT_ASSERT(!is_self(to), "node {} sends {} to itself", to.value(),
                message_name(Message::kType));
    Bytes bytes = encode(epoch, message);
    ++counters.messages_sent;
    counters.message_bytes += bytes.size() + lent_bytes;
    return bytes;
  }
};

// The node that keeps a lock's queue or a sequencer's count.
[[nodiscard]] inline NodeId keeper_of(std::uint64_t id, std::uint16_t node_count) {
  id = (id ^ (id >> 30)) * 0xbf58476d1ce4e5b9U;
  id = (id ^ (id >> 27)) * 0x94d049bb133111ebU;
  return NodeId(static_cast<std::uint16_t>((id ^ (id >> 31)) % node_count));
}

}  // namespace weft
