// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/scaling/loggp.hpp"

#include <algorithm>
#include <utility>

namespace weft::scaling {

std::uint32_t LogGPNetwork::keep(Packet packet) {
  if (free_packets_.empty()) {
    packets_.push_back(std::move(packet));
    return static_cast<std::uint32_t>(packets_.size() - 1);
  }
  const std::uint32_t place = free_packets_.back();
  free_packets_.pop_back();
  packets_[place] = std::move(packet);
  return place;
}

Packet LogGPNetwork::take(std::uint32_t packet) {
  free_packets_.push_back(packet);
  return std::exchange(packets_[packet], {});
}

void LogGPNetwork::send(NodeId from, NodeId to, Priority priority, Bytes message,
                        Nanoseconds time) {
  Card& card = cards_[from.value()];
  card.queues[priority == Priority::kData ? 1 : 0].push_back(keep({from, to, std::move(message)}));
  if (std::exchange(card.is_busy, true)) return;
  agenda_.add(Event::Kind::kCardFree, from.value(), time);
}

void LogGPNetwork::on_card_free(std::uint32_t node, Nanoseconds now) {
  Card& card = cards_[node];
  std::deque<std::uint32_t>& queue = card.queues[card.queues[0].empty() ? 1 : 0];
  card.is_busy = !queue.empty();
  if (queue.empty()) return;
  const std::uint32_t packet = queue.front();
  queue.pop_front();
  const Nanoseconds sending = model_.transmission(packets_[packet].message.size());
  agenda_.add(Event::Kind::kArrival, packet, now + sending + model_.latency);
  agenda_.add(Event::Kind::kCardFree, node, now + std::max(sending, model_.gap));
}

// The last byte is there now, if the receiving card had nothing else to take in meanwhile.
void LogGPNetwork::on_arrival(std::uint32_t packet, Nanoseconds now) {
  const Packet& arrived = packets_[packet];
  Card& card = cards_[arrived.to.value()];
  const Nanoseconds taking = std::max(model_.transmission(arrived.message.size()), model_.gap);
  card.received_until = std::max(now, card.received_until + taking);
  agenda_.add(Event::Kind::kDelivery, packet, card.received_until);
}

}  // namespace weft::scaling
