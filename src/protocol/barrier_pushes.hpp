// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are pushed in the barrier's own messages, between a node and its parent in the tree
// (protocol.md, 14). Down, a node knows what everybody wrote. Up, it does not yet: what it sends
// counts if no notice to all names it, which both ends learn. It has been written by nobody then,
// or by this node alone, whose notice is settled.
#pragma once

#include <map>
#include <vector>

#include "protocol/context.hpp"
#include "protocol/pusher.hpp"

namespace weft {

class BarrierPushes {
 public:
  BarrierPushes(Context& context, Pusher& pusher) : context_(context), pusher_(pusher) {}

  // --- up ---
  // This node arrives, with these notices, of `written` in all: chooses what its parent is to have
  // in the interval that this node thinks is next, if all of that fits.
  void choose(NodeId parent, IntervalKey next, const std::vector<SettledNotice>& settled,
              const PageSet& written);
  [[nodiscard]] Push up() const;
  // With a child's arrival; what is in it is copied.
  void keep(NodeId from, const Push& push);

  // --- the turn of the epoch ---
  // At its beginning, with the notices to all: what was sent up counts, or not.
  void begin_turn(NodeId parent, IntervalKey next, const std::vector<Notice>& notices);
  // All pages are in the states of the next epoch.
  void take_kept(IntervalKey next, const std::vector<Notice>& notices);
  // In place of both: with threads outside the team nothing counts.
  void forget();

 private:
  struct Kept {
    IntervalKey interval;
    std::map<PageIndex, Bytes> pages;
    std::vector<PagesInRhythm> rhythms;
  };

  Context& context_;
  Pusher& pusher_;
  NodeId parent_;
  IntervalKey interval_;
  std::vector<PageIndex> chosen_;
  PageSet unwritten_;  // of these
  std::map<NodeId, Kept> kept_;
};

}  // namespace weft
