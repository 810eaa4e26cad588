// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/cluster/network.hpp"

#include <algorithm>

namespace weft::sim {

Network::Network(std::uint16_t node_count, std::uint64_t seed, bool one_slow, EventQueue& events)
    : node_count_(node_count),
      random_(seed),
      lateness_(~seed),
      events_(events),
      usual_delay_(static_cast<std::uint32_t>(1 + random_.below(30))),
      hiccup_percent_(static_cast<std::uint32_t>(random_.chance(50) ? random_.below(10) : 0)),
      channels_(std::size_t{node_count} * node_count * 2) {
  if (one_slow) {
    slow_down_one();
  } else {
    slow_down_some();
  }
}

void Network::slow_down_one() {
  hiccup_percent_ = 0;
  usual_delay_ = 10;
  const std::uint32_t from = static_cast<std::uint32_t>(random_.below(node_count_));
  const std::uint32_t to =
      (from + 1 + static_cast<std::uint32_t>(random_.below(node_count_ - 1))) % node_count_;
  channels_[(from * node_count_ + to) * 2 + 1].slowness = 2000U << random_.below(3);
}

void Network::slow_down_some() {
  const std::uint32_t slow_priority = random_.chance(40) ? random_.below(2) : 2;
  const std::uint32_t slow_node = random_.chance(20) ? random_.below(node_count_) : node_count_;
  const unsigned slow_channels = random_.chance(50) ? 15 : 0;
  const std::uint32_t slowness = random_.chance(50) ? 30 : 1000;
  for (std::uint32_t index = 0; index < channels_.size(); ++index) {
    Channel& channel = channels_[index];
    if (index % 2 == slow_priority) channel.slowness *= 20;
    if (index / 2 / node_count_ == slow_node) channel.slowness *= 15;
    if (random_.chance(slow_channels)) channel.slowness *= slowness;
  }
}

std::uint64_t Network::delay(const Channel& channel) {
  std::uint64_t delay = 1 + random_.below(usual_delay_ * channel.slowness);
  if (random_.chance(hiccup_percent_)) delay += random_.below(2000);
  return delay;
}

void Network::append(Bytes& message, std::span<const ByteView> lent) {
  for (const ByteView bytes : lent) message.insert(message.end(), bytes.begin(), bytes.end());
}

void Network::send(NodeId from, NodeId to, Priority priority, Bytes message,
                   std::span<const ByteView> lent) {
  const std::uint32_t index = (std::uint32_t{from.value()} * node_count_ + to.value()) * 2 +
                              (priority == Priority::kData ? 1 : 0);
  Channel& channel = channels_[index];
  const bool read_late = !lent.empty() && lateness_.chance(50);
  if (!read_late) append(message, lent);
  channel.messages.push_back({std::move(message), {}});
  if (read_late) channel.messages.back().lent.assign(lent.begin(), lent.end());
  ++in_flight_;
  channel.last_arrival = std::max(channel.last_arrival + 1, events_.now() + delay(channel));
  events_.add(Event::Kind::kDeliver, index, channel.last_arrival);
}

Network::Delivery Network::take(std::uint32_t index) {
  Channel& channel = channels_[index];
  const auto pair = static_cast<std::uint16_t>(index / 2 % node_count_);
  Delivery delivery{NodeId(static_cast<std::uint16_t>(index / 2 / node_count_)), NodeId(pair),
                    std::move(channel.messages.front().bytes)};
  append(delivery.message, channel.messages.front().lent);
  channel.messages.pop_front();
  --in_flight_;
  return delivery;
}

}  // namespace weft::sim
