// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Barrier that is about arrivals that cross (protocol/crossing.md, 7): the root of a
// tree with one child at the root need not wait for the child's arrival to send it all that it has.
#include <algorithm>
#include <utility>

#include "protocol/epochs/barrier.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

NodeId Barrier::opposite() const {
  const std::vector<NodeId> both = tree_.children(NodeId(0));
  if (both.size() != 1) return kNoNode;
  if (context_.is_self(NodeId(0))) return both.front();
  return context_.is_self(both.front()) ? NodeId(0) : kNoNode;
}

// Another tree, and when the departure goes, are for node 0 to say.
bool Barrier::may_cross(const BarrierInput& input) const {
  const bool decides_alone = (shapes_now() && !WEFT_BUG(kCrossWithNewTree)) ||
                             input.precedes_publication || input.others_here ||
                             !last_others_.empty();
  return context_.is_self(NodeId(0)) && opposite() != kNoNode && !decides_alone &&
         crossings_.has(next_);
}

void Barrier::send_across(const BarrierInput& input, const std::vector<Notice>& notices,
                          const std::vector<SettledNotice>& settled) {
  BarrierArrive arrival;
  arrival.next = next_;
  arrival.votes = input.votes;
  arrival.notices = notices;
  arrival.settled = settled;
  arrival.replaced = coherence_.replaced();
  for (const Notice& offer : offers_) {
    if (context_.is_self(offer.writer)) arrival.offers.push_back(offer);
  }
  const FinalUpdate early = coherence_.take_early_final(opposite());
  arrival.updates = early.updates();
  arrival.whole = early.whole;
  pushes_.note_own(early);
  arrival.pushed = pushes_.up(opposite());
  count_notices(notices, settled);
  context_.send(opposite(), Priority::kControl, arrival);
  has_crossed_ = true;
  WEFT_PROBE(context_, kCrossing);
}

void Barrier::note_known(const std::vector<SettledNotice>& settled, const PageSet& written) {
  const NodeId child = opposite();
  if (child == kNoNode) return;
  known_owed_ = {};
  for (const SettledNotice& notice : settled) {
    if (std::ranges::find(notice.holders, child) == notice.holders.end()) continue;
    known_owed_.insert(notice.pages);
  }
  const std::size_t most = context_.config.barrier_pages;
  for (const PageIndex page : pusher_.due_since(child, next_, written, most)) {
    known_owed_.insert(page);
  }
  known_owed_.insert(coherence_.shared_here(written));
  // What was acquired would not be sent across.
  for (const PageRange& range : coherence_.acquired_from(child).ranges()) known_owed_.erase(range);
  may_owe_early_ = coherence_.owed_early(child).has_value();
}

// What does not fit into the messages of a barrier goes by itself in any case.
void Barrier::note_crossing(const BarrierDepart& all, const EpochTurn::Finals& finals) {
  const NodeId child = opposite();
  const bool is_for_two = context_.is_self(NodeId(0)) && child != kNoNode;
  if (!is_for_two || !all.others.empty() || precedes_publication_) return;
  const bool owes_update = finals.contains(child);
  const std::size_t most = context_.config.barrier_pages;
  std::vector<PageIndex> due = pusher_.due_since(child, all.next, {}, most + 1);
  if (due.size() > most) due.clear();
  if (has_crossed_) return crossings_.note(all.next, !owes_update && due.empty());
  const bool were_known = std::ranges::all_of(due, [&](PageIndex page) {
    return known_owed_.contains(page) && pushes_.suffices(child, page, all.notices);
  });
  crossings_.note(all.next, were_known && (!owes_update || may_owe_early_));
}

BarrierArrive Barrier::without_views(BarrierArrive arrival) {
  arrival.contribution = {};
  arrival.pushed.clear();
  arrival.updates.clear();
  return arrival;
}

void Barrier::on_across(const BarrierArrive& message) {
  pushes_.keep(parent(), message.pushed);
  pushes_.note_other(message.whole);
  across_ = without_views(message);
  meet();
}

// At the child, once it has sent its own arrival and has the root's: what the root puts together
// from the two, as the root does.
void Barrier::meet() {
  if (!sent_up_ || !across_) return;
  const BarrierArrive own = *std::exchange(sent_up_, std::nullopt);
  const BarrierArrive other = *std::exchange(across_, std::nullopt);
  for (const BarrierArrive* const arrival : {&other, &own}) {
    add(arrival->notices, arrival->settled, arrival->replaced);
    votes_ |= arrival->votes;
    others_.insert(arrival->others.begin(), arrival->others.end());
    offers_.insert(offers_.end(), arrival->offers.begin(), arrival->offers.end());
  }
  BarrierDepart all = take_gathered(!WEFT_BUG(kMeetAsSubtree));
  all.next = other.next;
  crossed_.insert(all.next);
  WEFT_PROBE(context_, kCrossing);
  on_depart(all);
}

}  // namespace weft
