// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network after the LogGP model (Alexandrov, Ionescu, Schauser and Scheiman, 1995): what a
// message costs does not depend on chance, so that a run shows where time goes.
//
//   sender      |overhead|                                            (processor)
//   its card             |bytes x G| next not before the gap          (control first)
//   wire                             |---- latency ----|
//   other card                                         | its own gap: many to one queue here
//   receiver                                           |overhead|     (processor)
#pragma once

#include <cstdint>
#include <deque>
#include <queue>
#include <vector>

#include "protocol/engine.hpp"

namespace weft::scaling {

using Nanoseconds = std::uint64_t;

// The defaults are what `./x bench micro` measures over TCP; see docs/internals/simulator.md.
struct LogGP {
  Nanoseconds latency = 5000;               // L
  Nanoseconds overhead = 1900;              // o, at either end
  Nanoseconds gap = 4200;                   // g, between messages of a node
  std::uint64_t bandwidth = 5'000'000'000;  // bytes a second; G is its inverse
  Nanoseconds fault = 2300;                 // a page fault, without what the engine does
  Nanoseconds page_call = 300;              // a page of a call that maps, unmaps or compares pages

  [[nodiscard]] Nanoseconds transmission(std::size_t bytes) const {
    return bytes * 1'000'000'000 / bandwidth;
  }
};

struct Event {
  enum class Kind : std::uint8_t { kCardFree, kArrival, kDelivery, kFault, kWork, kResume };
  Kind kind = Kind::kWork;
  std::uint32_t subject = 0;  // a packet for kArrival and kDelivery, else a node
  Nanoseconds time = 0;
  std::uint64_t order = 0;
};

// Events of one time happen in the order in which they were added, so that a run repeats exactly.
class Agenda {
 public:
  void add(Event::Kind kind, std::uint32_t subject, Nanoseconds time) {
    events_.push({.kind = kind, .subject = subject, .time = time, .order = ++last_order_});
  }
  [[nodiscard]] bool empty() const { return events_.empty(); }
  Event next() {
    const Event event = events_.top();
    events_.pop();
    return event;
  }

 private:
  struct Later {
    bool operator()(const Event& a, const Event& b) const {
      return a.time != b.time ? a.time > b.time : a.order > b.order;
    }
  };
  std::priority_queue<Event, std::vector<Event>, Later> events_;
  std::uint64_t last_order_ = 0;
};

struct Packet {
  NodeId from, to;
  Bytes message;
};

class LogGPNetwork {
 public:
  LogGPNetwork(const LogGP& model, std::uint16_t node_count, Agenda& agenda)
      : model_(model), agenda_(agenda), cards_(node_count) {}

  // `time`: when the sender's processor has done its part.
  void send(NodeId from, NodeId to, Priority priority, Bytes message, Nanoseconds time);
  // What is due at the network's own events.
  void on_card_free(std::uint32_t node, Nanoseconds now);
  void on_arrival(std::uint32_t packet, Nanoseconds now);
  // The packet of a kDelivery event.
  [[nodiscard]] Packet take(std::uint32_t packet);

 private:
  struct Card {
    std::deque<std::uint32_t> queues[2];  // packets to send, by priority
    bool is_busy = false;
    Nanoseconds received_until = 0;
  };

  std::uint32_t keep(Packet packet);

  const LogGP& model_;
  Agenda& agenda_;
  std::vector<Card> cards_;
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_packets_;
};

}  // namespace weft::scaling
