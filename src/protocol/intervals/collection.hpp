// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Records of an epoch that does not end (protocol/collecting.md, 32). A node that keeps many asks
// all others how far they have heard. What all have heard is dropped everywhere, since it is never
// sent again. In the same message each node gets the records that it lacks, so that the next round
// finds them heard, though its threads may never acquire anything.
//
//   kNone ── many records ──> asking ── the last answer ──> kNone
//                                ╰──────── the epoch ends ─────╯
//
// Any node may begin, and two may at once: what one finds is right whatever the other does.
// Nobody waits for a round. One that a node is slow to answer lets records pile up meanwhile.
#pragma once

#include <cstdint>
#include <map>
#include <set>

#include "protocol/context/context.hpp"
#include "protocol/intervals/coherence.hpp"

namespace weft {

class Collection {
 public:
  Collection(Context& context, Coherence& coherence) : context_(context), coherence_(coherence) {}

  // After each input: begins a round if there are many records and none is under way, as far as
  // this node knows.
  void look();

  void on_ask(NodeId from, Epoch epoch, const CollectAsk& message);
  void on_reply(NodeId from, Epoch epoch, const CollectReply& message);
  void on_collect(NodeId from, Epoch epoch, const Collect& message);

 private:
  void enter_epoch();
  [[nodiscard]] VectorClock heard_by_all() const;
  void finish();

  Context& context_;
  Coherence& coherence_;
  Epoch epoch_;              // of the rounds below
  std::uint64_t round_ = 0;  // of this node's, the last one that it began
  bool is_asking_ = false;
  std::map<NodeId, VectorClock> answers_;  // to that
  std::set<NodeId> others_asking_;         // these have rounds of their own under way
};

}  // namespace weft
