// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/exchange/exchange.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

std::uint32_t distance(NodeId from, NodeId to, std::uint16_t node_count) {
  return (to.value() + std::uint32_t{node_count} - from.value()) % node_count;
}

bool goes_in(unsigned round, std::uint32_t distance) { return ((distance >> round) & 1U) != 0; }

}  // namespace

unsigned exchange_rounds(std::uint16_t node_count) {
  return static_cast<unsigned>(std::bit_width(node_count - 1U));
}

std::size_t exchange_hops(NodeId from, const std::vector<NodeId>& to, std::uint16_t node_count) {
  // The nodes to which it comes, by their distance: each is sent it once.
  std::vector<std::uint32_t> reached;
  for (const NodeId node : to) {
    const std::uint32_t whole = distance(from, node, node_count);
    for (unsigned round = 0; (whole >> round) != 0; ++round) {
      if (goes_in(round, whole)) reached.push_back(whole & ((2U << round) - 1));
    }
  }
  std::ranges::sort(reached);
  return static_cast<std::size_t>(std::ranges::unique(reached).begin() - reached.begin());
}

std::uint32_t Exchange::distance_to(NodeId node) const {
  return distance(context_.config.self, node, context_.config.node_count);
}

void Exchange::begin() {
  WEFT_ASSERT(!rounds_, "an exchange begins at node {} before the last one has ended",
              context_.config.self.value());
  rounds_.emplace().came.resize(exchange_rounds(context_.config.node_count));
}

void Exchange::send(std::vector<Own> own) {
  WEFT_PROBE_IF(kind_ == ExchangeKind::kFinals, context_, kExchangedFinal);
  WEFT_PROBE_IF(kind_ == ExchangeKind::kPushes, context_, kExchangedPush);
  for (Own& each : own) {
    rounds_->kept.push_back({context_.config.self, std::move(each.to), std::move(each.message)});
  }
  rounds_->is_ready = true;
  send_what_is_due();
  end_if_complete();
}

void Exchange::pass_on(const ExchangeRound& message) {
  const unsigned round = message.round;
  WEFT_ASSERT(rounds_ && round < rounds_->came.size() && !rounds_->came[round],
              "round {} of an exchange comes to node {} out of place", round,
              context_.config.self.value());
  rounds_->came[round] = true;
  for (const Envelope& each : message.envelopes) {
    std::vector<NodeId> others = each.to;
    std::erase(others, context_.config.self);
    if (others.empty() || WEFT_BUG(kKeepForItself)) continue;
    rounds_->kept.push_back(
        {each.from, std::move(others), Bytes(each.message.begin(), each.message.end())});
  }
  send_what_is_due();
}

void Exchange::note_delivered() {
  ++rounds_->delivered;
  end_if_complete();
}

// What comes in one round may have to go on in any later one.
void Exchange::send_what_is_due() {
  Rounds& rounds = *rounds_;
  while (rounds.is_ready && rounds.next < rounds.came.size()) {
    const bool lacks_one = rounds.next > 0 && !rounds.came[rounds.next - 1];
    if (lacks_one && !WEFT_BUG(kSendRoundEarly)) return;
    send_round(rounds.next++);
  }
}

void Exchange::send_round(unsigned round) {
  const std::uint32_t to = context_.config.self.value() + (std::uint32_t{1} << round);
  const NodeId receiver(static_cast<std::uint16_t>(to % context_.config.node_count));
  ExchangeRound message{.kind = kind_, .round = static_cast<std::uint8_t>(round), .envelopes = {}};
  for (Kept& each : rounds_->kept) {
    std::vector<NodeId> reached, others;
    for (const NodeId node : each.to) {
      (goes_in(round, distance_to(node)) ? reached : others).push_back(node);
    }
    each.to = std::move(others);
    if (!reached.empty())
      message.envelopes.push_back({each.from, std::move(reached), each.message});
  }
  context_.send(receiver, Priority::kData, message);
  std::erase_if(rounds_->kept, [](const Kept& each) { return each.to.empty(); });
}

void Exchange::end_if_complete() {
  const std::size_t count = rounds_->came.size();
  if (rounds_->next < count || rounds_->delivered < count) return;
  WEFT_ASSERT(rounds_->kept.empty(), "an exchange ends at node {} with {} messages in it",
              context_.config.self.value(), rounds_->kept.size());
  rounds_.reset();
}

}  // namespace weft
