// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are pushed in the barrier's own messages, between a node and its parent in the tree,
// and passed on by nodes that get them to others that do, too (protocol.md, 14). Down, a node knows
// what everybody wrote. Up, it does not yet: what it sends counts if no notice to all names it,
// which all learn. It has been written by nobody then, or by this node alone, whose notice is
// settled.
#pragma once

#include <map>
#include <vector>

#include "protocol/barrier_tree.hpp"
#include "protocol/context.hpp"
#include "protocol/pusher.hpp"

namespace weft {

class BarrierPushes {
 public:
  BarrierPushes(Context& context, Pusher& pusher) : context_(context), pusher_(pusher) {}

  // --- up ---
  // This node arrives, with these notices, of `written` in all: chooses what its parent is to have
  // in the interval that this node thinks is next, if all of that fits; and who else by way of it.
  void choose(const BarrierTree& tree, IntervalKey next, const std::vector<SettledNotice>& settled,
              const PageSet& written);
  // That, and what the parent is to have of what children sent.
  [[nodiscard]] std::vector<SharedPush> up(NodeId parent) const;
  // With a child's arrival, or the parent's departure; what is in it is copied.
  void keep(NodeId from, const std::vector<SharedPush>& pushes);

  // --- the turn of the epoch, with the notices to all ---
  // What this child is to have of what others sent: what counts of it.
  [[nodiscard]] std::vector<SharedPush> down(NodeId child, IntervalKey next,
                                             const std::vector<Notice>& notices) const;
  // At its beginning: what was sent up counts, or not.
  void begin_turn(IntervalKey next, const std::vector<Notice>& notices);
  // All pages are in the states of the next epoch.
  void take_kept(IntervalKey next, const std::vector<Notice>& notices);
  // In place of all that: with threads outside the team nothing counts.
  void forget();

 private:
  struct Kept {
    NodeId from, home;
    std::vector<NodeId> consumers;
    IntervalKey interval;
    std::map<PageIndex, Bytes> pages;
    std::vector<PagesInRhythm> rhythms;
  };

  void add(PageIndex page, const std::vector<NodeId>& wanted_by, bool passes_on,
           const BarrierTree& tree);
  // Of this push, those pages of which `counts` says so.
  template <typename Counts>
  [[nodiscard]] static Push part_of(const Kept& kept, Counts counts);

  Context& context_;
  Pusher& pusher_;
  NodeId parent_;
  IntervalKey interval_;
  std::map<std::vector<NodeId>, std::vector<PageIndex>> chosen_;  // by consumers
  PageSet unwritten_;                                             // of these
  std::vector<Kept> kept_;
};

}  // namespace weft
