// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/exchange/exchange_choice.hpp"

#include <algorithm>
#include <utility>

#include "protocol/exchange/exchange.hpp"

namespace weft {

bool ExchangeChoice::exceed(std::uint64_t messages, std::size_t nodes) const {
  const EngineConfig& config = context_.config;
  return messages * 100 > nodes * exchange_rounds(config.node_count) * config.exchange_percent;
}

// Fewer messages in all; or less time at the node that has most of them.
bool ExchangeChoice::is_worth(const Traffic& traffic) const {
  return exceed(traffic.messages, context_.config.node_count) ||
         exceed(traffic.most, context_.config.exchange_round_messages);
}

bool ExchangeChoice::is_counted(std::size_t messages) const {
  return context_.config.may_exchange() && exceed(messages, 1);
}

void ExchangeChoice::begin_turn(PhaseKey phase) {
  phase_ = phase;
  if (context_.config.may_exchange()) traffic_.try_emplace(phase, PhaseTraffic{.phase = phase});
}

Traffic& ExchangeChoice::now(ExchangeKind kind) {
  PhaseTraffic& traffic = traffic_[phase_];
  return kind == ExchangeKind::kFinals ? traffic.finals : traffic.pushes;
}

// What goes to few nodes passes through several others.
void ExchangeChoice::count(ExchangeKind kind, std::size_t messages,
                           const std::vector<Load>& loads) {
  if (!is_counted(messages)) return;
  std::uint64_t more_bytes = 0;
  for (const Load& load : loads) {
    const std::size_t hops =
        exchange_hops(context_.config.self, load.to, context_.config.node_count);
    more_bytes += (hops - std::min(hops, load.to.size())) * load.bytes;
  }
  const std::uint64_t cost = more_bytes / context_.config.exchange_message_bytes;
  const auto saved = static_cast<std::uint32_t>(messages - std::min<std::uint64_t>(messages, cost));
  now(kind).add({.messages = saved, .most = saved});
}

void ExchangeChoice::count_coming(ExchangeKind kind, std::size_t messages) {
  if (!is_counted(messages)) return;
  now(kind).add({.messages = 0, .most = static_cast<std::uint32_t>(messages)});
}

void ExchangeChoice::add(const std::vector<PhaseTraffic>& of_child) {
  for (const PhaseTraffic& each : of_child) {
    PhaseTraffic& sum = traffic_[each.phase];
    sum.phase = each.phase;
    sum.finals.add(each.finals);
    sum.pushes.add(each.pushes);
  }
}

std::vector<PhaseTraffic> ExchangeChoice::take_for_parent() {
  std::vector<PhaseTraffic> reported;
  for (const auto& [phase, traffic] : std::exchange(traffic_, {})) {
    if (traffic.is_any()) reported.push_back(traffic);
  }
  return reported;
}

void ExchangeChoice::learn() {
  for (const auto& [phase, traffic] : std::exchange(traffic_, {})) {
    if (traffic.is_any()) {
      known_[phase] = traffic;
    } else {
      known_.erase(phase);
    }
  }
}

ExchangeKinds ExchangeChoice::choose(PhaseKey phase) const {
  const auto known = known_.find(phase);
  if (known == known_.end()) return 0;
  const ExchangeKinds finals = is_worth(known->second.finals) ? bit_of(ExchangeKind::kFinals) : 0;
  const ExchangeKinds pushes = is_worth(known->second.pushes) ? bit_of(ExchangeKind::kPushes) : 0;
  return finals | pushes;
}

}  // namespace weft
