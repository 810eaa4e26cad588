// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages that are pushed in the barrier's own messages, between a node and its parent in the tree,
// and passed on by nodes that get them to others that do, too (protocol/pushing.md, 14). Down, a
// node knows what everybody wrote. Up, it does not yet: what it sends counts if no notice to all
// names it, which all learn. It has been written by nobody then, or by this node alone, whose
// notice is settled.
#pragma once

#include <map>
#include <vector>

#include "protocol/context/context.hpp"
#include "protocol/fetching/fetcher.hpp"
#include "protocol/intervals/coherence.hpp"
#include "protocol/pushing/pusher.hpp"
#include "protocol/tree/barrier_tree.hpp"

namespace weft {

class BarrierPushes {
 public:
  BarrierPushes(Context& context, Pusher& pusher, Fetcher& fetcher)
      : context_(context), pusher_(pusher), fetcher_(fetcher) {}

  // --- up ---
  // This node arrives, with these notices, of `written` in all: chooses what its parent (or the
  // root's only child) is to have in the phase that this node thinks is next, if all of that
  // fits; and who else by way of it.
  // `written_here`: pages homed here of which others have copies; none if the two arrivals do not
  // cross. `acquired`: what this node has acquired of the receiver's in this epoch. It is not sent:
  // the receiver would put its own diff on top, and this node may have written there since.
  void choose(const BarrierTree& tree, NodeId to, PhaseKey next,
              const std::vector<SettledNotice>& settled, const PageSet& written,
              const PageSet& written_here, const PageSet& acquired);
  // What this node's arrival has for the home that it goes to, and what the other's arrival has
  // all of.
  void note_own(const FinalUpdate& early);
  void note_other(const PageSet& whole) { other_whole_ = whole; }
  // That, and what the parent is to have of what children sent.
  [[nodiscard]] std::vector<SharedPush> up(NodeId parent) const;
  // With a child's arrival, or the parent's departure. The contents stay in that message until
  // own_kept().
  void keep(NodeId from, const std::vector<SharedPush>& pushes);
  // The message ends: copies what is still needed of it.
  void own_kept();

  // --- the turn of the epoch, with the notices to all ---
  // What this child is to have of what others sent: what counts of it.
  [[nodiscard]] std::vector<SharedPush> down(NodeId child, PhaseKey next,
                                             const std::vector<Notice>& notices) const;
  // At its beginning: what was sent up counts, or not.
  void begin_turn(PhaseKey next, const std::vector<Notice>& notices);
  // What this node sent the other of a page homed here, with its arrival, is what the page holds:
  // by these notices nobody else wrote it, or the other alone, which can put it together.
  [[nodiscard]] bool suffices(NodeId other, PageIndex page,
                              const std::vector<Notice>& notices) const;
  // All pages are in the states of the next epoch.
  void take_kept(PhaseKey next, const std::vector<Notice>& notices);
  // In place of all that: with threads outside the team nothing counts.
  void forget();

 private:
  struct Kept {
    NodeId from, home;
    std::vector<NodeId> consumers;
    PhaseKey phase;
    std::vector<PageBytes> pages;  // views into the message, or into `own`
    std::vector<PagesInRhythm> rhythms;
    Bytes own;  // the contents, one after the other
  };
  // A page for the receiver; and, if it is in a settled notice to some, that.
  struct Wanted {
    PageIndex page;
    const SettledNotice* notice = nullptr;
    bool only_lacking = false;  // who wants it and has it does not lose it
  };

  // The same of what has come.
  [[nodiscard]] bool suffices(const Kept& kept, PageIndex page,
                              const std::vector<Notice>& notices) const;
  void forget_crossing();
  // In ascending order. What was not written since the last phase goes into `unwritten_`.
  [[nodiscard]] std::vector<Wanted> wanted(const std::vector<SettledNotice>& settled,
                                           const PageSet& written, const PageSet& written_here);
  // Who gets the page by way of the receiver, and that node.
  [[nodiscard]] std::vector<NodeId> consumers_of(const Wanted& wanted,
                                                 const BarrierTree& tree) const;
  // Of this push, those pages of which `counts` says so.
  template <typename Counts>
  [[nodiscard]] static Push part_of(const Kept& kept, Counts counts);

  Context& context_;
  Pusher& pusher_;
  Fetcher& fetcher_;
  NodeId receiver_;  // of what this node sends with its arrival
  PhaseKey phase_;
  std::map<std::vector<NodeId>, std::vector<PageIndex>> chosen_;  // by consumers
  PageSet unwritten_;                                             // of these
  std::vector<Kept> kept_;
  // Where two arrivals cross:
  PageSet own_whole_, other_whole_;       // all that was written of these is at their home
  std::map<PageIndex, Bytes> own_diffs_;  // of own_whole_
};

}  // namespace weft
