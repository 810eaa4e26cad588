// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/intervals/collection.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"

namespace weft {

// With the epoch its records go, and whatever was asked about them.
void Collection::enter_epoch() {
  if (epoch_ == context_.epoch) return;
  epoch_ = context_.epoch;
  others_asking_.clear();
  if (WEFT_BUG(kCollectAcrossEpochs)) return;
  is_asking_ = false;
  answers_.clear();
}

void Collection::look() {
  const std::uint64_t kept = coherence_.records_kept();
  const EngineConfig& config = context_.config;
  // Mostly there are too few even for the node that asks first.
  if (config.collected_records == 0 || kept < config.collected_records) return;
  if (kept < config.records_to_collect()) return;
  context_.counters.records_most = std::max(context_.counters.records_most, kept);
  enter_epoch();
  if (is_asking_ || !others_asking_.empty()) return;
  is_asking_ = true;
  ++round_;
  ++context_.counters.collections;
  WEFT_PROBE(context_, kCollection);
  for (std::uint16_t node = 0; node < config.node_count; ++node) {
    if (context_.is_self(NodeId(node))) continue;
    context_.send(NodeId(node), Priority::kControl, CollectAsk{round_, coherence_.clock()});
  }
}

// A question of an epoch that has ended is moot: its asker ends it, too.
void Collection::on_ask(NodeId from, Epoch epoch, const CollectAsk& message) {
  if (epoch != context_.epoch && !WEFT_BUG(kCollectAcrossEpochs)) return;
  enter_epoch();
  others_asking_.insert(from);
  CollectReply reply{message.round, coherence_.clock(),
                     coherence_.records_for(epoch, message.clock)};
  if (WEFT_BUG(kAnswerAhead)) merge_clock(reply.clock, message.clock);
  context_.send(from, Priority::kControl, reply);
}

void Collection::on_reply(NodeId from, Epoch epoch, const CollectReply& message) {
  if (epoch != context_.epoch) return;
  enter_epoch();
  coherence_.apply(epoch, message.records);
  if (!is_asking_ || message.round != round_) return;
  answers_[from] = message.clock;
  const std::size_t asker = 1, left_out = WEFT_BUG(kDropUnheard) ? 1 : 0;
  if (answers_.size() + asker + left_out >= context_.config.node_count) finish();
}

// By now this node has heard whatever any of them had.
VectorClock Collection::heard_by_all() const {
  VectorClock heard = coherence_.clock();
  for (const auto& [node, clock] : answers_) meet_clock(heard, clock);
  return heard;
}

void Collection::finish() {
  const VectorClock heard = heard_by_all();
  for (const auto& [node, clock] : std::exchange(answers_, {})) {
    context_.send(node, Priority::kControl,
                  Collect{heard, coherence_.records_for(context_.epoch, clock)});
  }
  is_asking_ = false;
  coherence_.drop_records(heard);
}

void Collection::on_collect(NodeId from, Epoch epoch, const Collect& message) {
  if (epoch != context_.epoch) return;
  enter_epoch();
  others_asking_.erase(from);
  WEFT_PROBE_IF(!message.records.empty(), context_, kToldRecords);
  coherence_.apply(epoch, message.records);
  coherence_.drop_records(message.heard);
}

}  // namespace weft
