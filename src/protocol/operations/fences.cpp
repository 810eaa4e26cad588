// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/operations/fences.hpp"

#include <bit>

#include "protocol/interface/bugs.hpp"
#include "protocol/updates/completion.hpp"

namespace weft {
namespace {

// So many flushes in one epoch are somebody who polls.
constexpr std::uint64_t kMany = 64;

}  // namespace

void Fences::start(WaitId wait, FlushKind kind) {
  context_.sightings.note_flush(context_.epoch);
  const step::AskFence next{wait, kind};
  if (coherence_.release_here_or_keep(next)) ask(next);
}

// Nothing can be acquired: all that this node has seen of others came with the records. In a
// barrier, and under eager releases, that is not looked into.
bool Fences::may_go_without(FlushKind kind) const {
  return kind == FlushKind::kConfirms && coherence_.is_current() && !releases_.is_on() &&
         !writes_.late.has_arrived();
}

// A poller may wait for what was flushed where this engine is not told, or never was: then others
// give what they have. That costs a node that computes a fault for each page, so it is done with
// the 64th, 128th, 256th ... flush of an epoch alone.
bool Fences::is_insistent() {
  if (epoch_ != context_.epoch) in_epoch_ = 0;
  epoch_ = context_.epoch;
  ++in_epoch_;
  return in_epoch_ >= kMany && std::has_single_bit(in_epoch_);
}

void Fences::ask(const step::AskFence& step) {
  const auto [wait, kind] = step;
  const std::uint16_t nodes = context_.config.node_count;
  if (nodes == 1) return end(wait);
  if (may_go_without(kind)) {
    ++context_.counters.fences_alone;
    return end(wait);
  }
  ++context_.counters.fences;
  context_.sightings.begin_asking();
  streams_.note_asked();
  replies_left_[wait] = nodes - 1U;
  const bool polled = kind == FlushKind::kPolled && !WEFT_BUG(kPolledAsFlushed);
  const bool insistent = polled || is_insistent();
  FenceAsk message{wait, insistent, coherence_.clock(), {}};
  for (NodeId node; node.value() < nodes; ++node) {
    if (context_.is_self(node)) continue;
    message.wanted = needs_.untold(node);
    context_.send(node, Priority::kControl, message);
  }
}

void Fences::end(WaitId wait) { complete_when_settled(context_, streams_, step::Complete{wait}); }

void Fences::on_ask(NodeId from, Epoch epoch, const FenceAsk& message) {
  const bool skips = WEFT_BUG(kFenceSkipsWaiting) && writes_.late.has_arrived();
  if (!skips) coherence_.close_if_flushed(message.insistent);
  const step::AnswerFence next{from, epoch, message};
  if (releases_.complete_or_keep(next)) answer(next);
}

void Fences::answer(const step::AnswerFence& step) {
  const auto& [to, epoch, ask] = step;
  FenceReply reply{ask.wait, {}, {}};
  if (!WEFT_BUG(kFenceWithoutRecords)) reply.records = coherence_.records_for(epoch, ask.clock);
  reply.carried = coherence_.carried_with_operation(to, reply.records);
  context_.send(to, Priority::kControl, reply);
}

void Fences::on_reply(const FenceReply& message) {
  const auto found = replies_left_.find(message.wait);
  WEFT_ASSERT(found != replies_left_.end(), "reply to flush {} unasked", message.wait.value());
  if (--found->second > 0) return;
  replies_left_.erase(found);
  context_.sightings.end_asking();
  end(message.wait);
}

}  // namespace weft
