// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Explicit flushes (protocol/operations.md, 21). A flush that releases costs nothing: it is noted
// here, and so is every flush that a synchronisation implies. One that acquires asks all other
// nodes for what they have flushed. So who writes and goes on to wait, in a barrier or for a lock,
// need not know that somebody polls for what it wrote, and a program without explicit flushes pays
// nothing.
//
// Rejected: one lock of the job that each flush takes. Only explicit flushes take it, so nobody
// sees those that a barrier implies; and a token that says where the last flush was says nothing of
// others.
//
// Rejected for a flag that is polled for: an atomic operation of release order for each store, and
// of acquire order for each look, as of volatile variables. It needs to know all stores, wherever
// they are, where this one needs to know the polls alone (docs/decisions/0012-protocol-choices.md
// has figures of NPB's LU).
#pragma once

#include <cstdint>
#include <map>

#include "protocol/context/context.hpp"
#include "protocol/fetching/flag_needs.hpp"
#include "protocol/intervals/coherence.hpp"

namespace weft {

class Fences {
 public:
  Fences(Context& context, Coherence& coherence, UpdateStreams& streams, EpochWrites& writes,
         EagerReleases& releases, FlagNeeds& needs)
      : context_(context),
        coherence_(coherence),
        streams_(streams),
        writes_(writes),
        releases_(releases),
        needs_(needs) {}

  void start(WaitId wait, FlushKind kind);

  // Further steps of the same, here and at another node.
  void ask(const step::AskFence& step);
  void answer(const step::AnswerFence& step);

  void on_ask(NodeId from, Epoch epoch, const FenceAsk& message);
  // Its records have been acquired.
  void on_reply(const FenceReply& message);

 private:
  void end(WaitId wait);
  [[nodiscard]] bool may_go_without(FlushKind kind) const;
  [[nodiscard]] bool is_insistent();

  Context& context_;
  Coherence& coherence_;
  UpdateStreams& streams_;
  EpochWrites& writes_;
  EagerReleases& releases_;
  FlagNeeds& needs_;
  std::map<WaitId, unsigned> replies_left_;
  Epoch epoch_;
  std::uint64_t in_epoch_ = 0;  // flushes of this node
};

}  // namespace weft
