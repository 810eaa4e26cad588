// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A slower network, for experiments: wraps a transport, and hands messages to it later. It is
// modelled on a node with one network card:
//
//   send ──> queue (control first) ──> card, at so many bytes a second ──> wire, so long ──> inner
//
// A message occupies the card for its size over the bandwidth, and then travels for the latency.
// All delays are at the sender, so that the inner transport's acknowledgements are prompt.
//
// With jitter, each message travels a random while longer, and now and then a pair of nodes is held
// back for much longer. What a transport promises stays: messages of one channel to one node arrive
// in order. All others overtake each other: control and data, and messages to different nodes.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <utility>

#include "base/numbers/random.hpp"
#include "transport/transport.hpp"

namespace weft {

struct InjectedDelayOptions {
  std::uint64_t latency_us = 0;
  std::uint64_t bytes_per_second = 0;  // 0: not limited
  std::uint64_t jitter_us = 0;         // so much later at most; some ten times that. 0: none
  std::uint64_t seed = 0;              // of the jitter
};

// CLOCK_MONOTONIC in nanoseconds, as the timer has it.
[[nodiscard]] std::uint64_t monotonic_ns();

class InjectedDelay final : public Transport {
 public:
  using Clock = std::uint64_t (*)();

  // Tests that wait for nothing may give a clock of their own.
  InjectedDelay(std::unique_ptr<Transport> inner, const InjectedDelayOptions& options,
                Clock clock = monotonic_ns);
  ~InjectedDelay() override;

  using Transport::send;
  void send(NodeId to, Channel channel, MessageSegments segments, Loudness loudness) override;
  using Transport::poll;
  std::size_t poll(const Receiver& receiver, ArmedFor what) override;
  [[nodiscard]] int event_descriptor() const override { return epoll_; }
  [[nodiscard]] bool arm(ArmedFor what) override;
  [[nodiscard]] bool needs_polling() const override { return inner_->needs_polling(); }
  [[nodiscard]] bool drained() const override;
  [[nodiscard]] const TransportCounters& counters() const override { return inner_->counters(); }

 private:
  struct Message {
    std::uint64_t time_ns = 0;  // queued: when it came; on the wire: when it arrives
    NodeId to;
    Channel channel = Channel::kControl;
    MessageSegments segments;
    Loudness loudness = Loudness::kLoud;
  };

  // Does what is due by now.
  void advance();
  [[nodiscard]] std::deque<Message>* next_queue();
  [[nodiscard]] std::uint64_t jitter_ns();
  void put_on_wire(Message message);
  [[nodiscard]] std::uint64_t occupies_card_ns(const Message& message) const;
  // When the next thing is due; 0 if nothing is.
  [[nodiscard]] std::uint64_t next_event_ns() const;
  void set_timer();

  std::unique_ptr<Transport> inner_;
  InjectedDelayOptions options_;
  Clock now_ns_;
  int epoll_ = -1, timer_ = -1;  // the first watches the inner descriptor and the timer
  std::deque<Message> queues_[2];
  std::uint64_t card_free_ns_ = 0;
  std::uint64_t timer_ns_ = 0;  // when it expires or did; 0 if it does not
  Random random_;
  // By receiver and channel; each ascends in time.
  std::map<std::pair<NodeId, Channel>, std::deque<Message>> wires_;
  std::map<std::pair<NodeId, Channel>, std::uint64_t> last_arrival_ns_;  // on each wire
};

}  // namespace weft
