// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/deferred_updates.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {

void DeferredUpdates::defer(NodeId home, KeptUpdate update) {
  deferred_[home].push_back(std::move(update));
}

std::size_t DeferredUpdates::bytes(NodeId home) const {
  const auto of_home = deferred_.find(home);
  if (of_home == deferred_.end()) return 0;
  std::size_t bytes = 0;
  for (const KeptUpdate& update : of_home->second) bytes += update.bytes();
  return bytes;
}

std::vector<NodeId> DeferredUpdates::homes() const {
  std::vector<NodeId> homes;
  for (const auto& [home, updates] : deferred_) homes.push_back(home);
  return homes;
}

std::vector<KeptUpdate> DeferredUpdates::take(NodeId home) {
  const auto of_home = deferred_.find(home);
  if (of_home == deferred_.end()) return {};
  std::vector<KeptUpdate> updates = std::move(of_home->second);
  deferred_.erase(of_home);
  return updates;
}

void DeferredUpdates::note(NodeId home, NodeId writer, UpdateSequence sequence) {
  UpdateSequence& noted = noted_[home][writer];
  noted = std::max(noted, sequence);
}

std::vector<DeferredUpdates::Demand> DeferredUpdates::take_demands(NodeId home) {
  std::vector<Demand> demands;
  const auto of_home = noted_.find(home);
  if (of_home == noted_.end()) return demands;
  for (const auto& [writer, sequence] : of_home->second) demands.push_back({writer, sequence});
  noted_.erase(of_home);
  return demands;
}

void DeferredUpdates::send(NodeId home) {
  const std::vector<KeptUpdate> updates = take(home);
  if (updates.empty()) return;
  Updates message;
  for (const KeptUpdate& update : updates) message.updates.push_back(update.view());
  ++context_.counters.updates_sent;
  context_.send(home, Priority::kData, message);
}

void DeferredUpdates::send_all() {
  if (WEFT_BUG(kForgetDeferred)) return;
  for (const NodeId home : homes()) send(home);
}

void DeferredUpdates::demand(NodeId home) {
  for (const Demand& demand : take_demands(home)) {
    const bool is_here =
        context_.is_self(home) && streams_.has_applied({{demand.writer, demand.sequence}});
    if (is_here || WEFT_BUG(kNoDemand)) continue;
    ++context_.counters.updates_demanded;
    WEFT_PROBE(context_, kDemand);
    context_.send(demand.writer, Priority::kControl, UpdateDemand{home});
  }
}

void DeferredUpdates::prepare_to_read(NodeId home) {
  send(home);
  demand(home);
}

}  // namespace weft
