// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A network in which each (sender, receiver, priority) is a FIFO channel of its own. Delays are
// random; in some runs a priority, a node or single channels are slower than the others by far,
// so that messages overtake each other in every way that is allowed.
#pragma once

#include <algorithm>
#include <deque>
#include <span>
#include <vector>

#include "base/numbers/random.hpp"
#include "protocol/engine.hpp"
#include "protocol/messages/message_type.hpp"
#include "sim/cluster/event_queue.hpp"

namespace weft::sim {

class Network {
 public:
  // `one_slow`: all channels are fast but a single one for data, which is slower than whole phases.
  Network(std::uint16_t node_count, std::uint64_t seed, bool one_slow, EventQueue& events);

  struct Delivery {
    NodeId from, to;
    Bytes message;
  };

  // What is lent is read now or, by chance, when the message arrives.
  void send(NodeId from, NodeId to, Priority priority, Bytes message,
            std::span<const ByteView> lent = {});
  // The message that a kDeliver event is about.
  Delivery take(std::uint32_t channel);
  [[nodiscard]] NodeId receiver(std::uint32_t channel) const {
    return NodeId(static_cast<std::uint16_t>(channel / 2 % node_count_));
  }
  // The message that take() will return need wake nobody, nor does any behind it.
  [[nodiscard]] bool is_quiet(std::uint32_t channel) const {
    return std::ranges::all_of(channels_[channel].messages, [](const Message& each) {
      return may_wait(static_cast<MessageType>(each.bytes.front()));
    });
  }
  [[nodiscard]] bool idle() const { return in_flight_ == 0; }

 private:
  struct Message {
    Bytes bytes;
    std::vector<ByteView> lent;
  };

  struct Channel {
    std::deque<Message> messages;
    std::uint64_t last_arrival = 0;
    std::uint32_t slowness = 1;
  };

  static void append(Bytes& message, std::span<const ByteView> lent);
  void slow_down_one();
  void slow_down_some();
  std::uint64_t delay(const Channel& channel);

  std::uint16_t node_count_;
  Random random_, lateness_;  // apart, so that delays do not depend on what is read late
  EventQueue& events_;
  std::uint32_t usual_delay_, hiccup_percent_;
  std::uint64_t in_flight_ = 0;
  std::vector<Channel> channels_;
};

}  // namespace weft::sim
