// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The part of Barrier that ends an epoch, by a barrier or a publication (protocol/epochs.md, 7).
#include <utility>

#include "protocol/epochs/barrier.hpp"
#include "protocol/interface/bugs.hpp"
#include "protocol/tree/settled_notices.hpp"

namespace weft {

// From all that a node is to know of an epoch, to the next one:
//
//   children hear of it, unless pages go with it        pass_down_early
//   pages get the states of the next epoch              EpochTurn::turn_pages
//   the others hear of it, with their pages             pass_down_pushing
//   homes get what this node still owes them            EpochTurn::send_finals
//   ... until this node has all final updates           EpochTurn::push_if_ready
//   ... and all that is pushed to it                    may_begin_next_epoch
//   the next epoch begins, and whoever waits goes on    begin_next_epoch, complete_epoch
//
// Engine::State takes the last steps, after each message that they may have waited for.
//
// A publication goes the same way, with less to tell.
void Barrier::on_depart(const BarrierDepart& message) {
  // By itself, or told to.
  if (sent_up_) crossed_.erase(message.next);
  sent_up_.reset();
  last_others_ = message.others;
  empty_.note_departure(message);
  pushes_.keep(parent(), message.shared);
  pass_down_early(message);
  const std::vector<Notice> notices = notices_here(message);
  if (!message.others.empty()) pushes_.forget();
  pushes_.begin_turn(message.next, message.notices);
  if (WEFT_BUG(kShapeTooEarly) && !message.tree.empty()) tree_ = BarrierTree(message.tree);
  EpochTurn::Finals finals = turn_.turn_pages({.notices = notices,
                                               .others = message.others,
                                               .moves = message.moves,
                                               .tree = tree_,
                                               .replaced = message.replaced,
                                               .next = message.next,
                                               .exchanges = message.exchanges,
                                               .is_publication = false,
                                               .threads_wait = threads_wait_});
  note_crossing(message, finals);
  pass_down_pushing(message, finals);
  has_crossed_ = false;
  pushes_.take_kept(message.next, message.notices);
  take_pushed(message.pushed);
  wait_for_next_epoch(std::move(finals),
                      {.barrier = wait_, .votes = message.votes, .tree = message.tree});
}

// Those to all, those that are settled with this node, and its own, of which it is not told.
std::vector<Notice> Barrier::notices_here(const BarrierDepart& message) {
  std::vector<Notice> notices = message.notices;
  add_own(message.settled, context_.config.self, notices);
  notices.push_back({context_.config.self, holders_.settle(message.notices)});
  return notices;
}

// Threads outside the team that other nodes have now were there at the last barrier: nobody but
// such threads could have made one since. What this node's own wrote late others may still carry
// over, who have told nobody but this node, though these threads have ended since.
void Barrier::publish(ByteView payload, PhaseKey next, bool others_here, WaitId wait) {
  WEFT_ASSERT(context_.is_self(NodeId(0)), "node {} may not publish", context_.config.self.value());
  precedes_publication_ = false;
  const bool is_named = !last_others_.empty() && context_.is_self(last_others_.front());
  if (is_named && !others_here && WEFT_BUG(kForgetEndedOthers)) {
    last_others_.erase(last_others_.begin());
  } else if (others_here && !is_named) {
    last_others_.insert(last_others_.begin(), context_.config.self);
  }
  const bool tells_heard = !last_others_.empty() || !WEFT_BUG(kForgetHeard);
  std::vector<Notice> notices = coherence_.close_epoch(pusher_.phase(), others_here, tells_heard);
  end_epoch({.next = next,
             .notices = std::move(notices),
             .others = last_others_,
             .payload = payload,
             .pushed = {},
             .updates = {},
             .exchanges = exchanges_.choice.choose(next)},
            {.publish = wait});
}

void Barrier::on_publish(const Publish& message) {
  end_epoch(message, {.payload = Bytes(message.payload.begin(), message.payload.end())});
}

void Barrier::end_epoch(const Publish& message, Ending ending) {
  ++context_.counters.publications;
  pass_down_early(message);
  EpochTurn::Finals finals = turn_.turn_pages({.notices = message.notices,
                                               .others = message.others,
                                               .moves = {},
                                               .tree = tree_,
                                               .replaced = {},
                                               .next = message.next,
                                               .exchanges = message.exchanges,
                                               .is_publication = true,
                                               .threads_wait = false});
  pass_down_pushing(message, finals);
  take_pushed(message.pushed);
  wait_for_next_epoch(std::move(finals), std::move(ending));
}

void Barrier::wait_for_next_epoch(EpochTurn::Finals finals, Ending ending) {
  turn_.send_finals(std::move(finals));
  ending_ = std::move(ending);
}

bool Barrier::may_begin_next_epoch() {
  if (!ending_) return false;
  turn_.push_if_ready();
  return turn_.is_complete();
}

std::vector<PageIndex> Barrier::begin_next_epoch() {
  std::vector<PageIndex> wanted = turn_.begin_next_epoch();
  empty_.begin_epoch();
  recalls_.end_epoch();
  coherence_.abandon_releases();
  return wanted;
}

void Barrier::complete_epoch() {
  const Ending ending = *std::exchange(ending_, std::nullopt);
  if (!ending.tree.empty()) tree_ = BarrierTree(ending.tree);
  if (ending.barrier) return context_.effects.complete_barrier(*ending.barrier, ending.votes);
  if (ending.publish) return context_.effects.complete(*ending.publish);
  context_.effects.deliver_publication(ending.payload);
}

// What threads outside the team have written late is on its way to homes, and in no notices: what
// the barrier's own messages carry would lack it.
template <typename Message>
bool Barrier::pushes_to(NodeId child, const Message& message) const {
  return message.others.empty() && pusher_.serves(child, message.next);
}

template <typename Message>
bool Barrier::tells_first(const Message& message) const {
  std::uint64_t pages = 0;
  for (const Notice& notice : message.notices) pages += notice.pages.page_count();
  return pages > context_.config.quick_turn_pages;
}

template <typename Message>
void Barrier::pass_down_early(const Message& message) {
  const bool tells_all = tells_first(message);
  for (const NodeId child : told_children()) {
    const bool is_served = pushes_to(child, message);
    if (is_served && !tells_all) continue;
    pass_down(child, message, {}, {});
    WEFT_PROBE_IF(is_served, context_, kToldFirst);
  }
}

template <typename Message>
void Barrier::pass_down_pushing(const Message& message, EpochTurn::Finals& finals) {
  const bool were_told = tells_first(message);
  for (const NodeId child : told_children()) {
    if (!pushes_to(child, message)) continue;
    if (were_told) {
      if (WEFT_BUG(kTakeToldForPushed)) (void)pusher_.take_for(child, true);
      continue;
    }
    FinalUpdate final;
    const auto owed = finals.find(child);
    if (owed != finals.end() && owed->second.size() <= context_.config.barrier_pages) {
      final = updates_.make_final(child, std::move(owed->second), false);
      finals.erase(owed);
      if (WEFT_BUG(kLoseCarriedFinal)) final = {};
    }
    Push push = pusher_.take_for(child, !context_.holds_departures);
    pass_down(child, message, std::move(push), final.updates());
  }
}

void Barrier::pass_down(NodeId child, const BarrierDepart& message, Push push,
                        std::vector<Update> updates) {
  const bool with_others = !message.others.empty();
  const BarrierDepart part{.next = message.next,
                           .notices = message.notices,
                           .others = message.others,
                           .votes = message.votes,
                           .settled = for_subtree(message.settled, child, tree_),
                           .pushed = std::move(push),
                           .shared = with_others
                                         ? std::vector<SharedPush>()
                                         : pushes_.down(child, message.next, message.notices),
                           .updates = std::move(updates),
                           .tree = message.tree,
                           .moves = message.moves,
                           .replaced = WEFT_BUG(kConcealReplaced) ? PageSet() : message.replaced,
                           .exchanges = message.exchanges};
  count_notices(part.notices, part.settled);
  if (context_.holds_departures) return context_.hold(child, part);
  context_.send(child, Priority::kControl, part);
}

void Barrier::pass_down(NodeId child, const Publish& message, Push push,
                        std::vector<Update> updates) {
  count_notices(message.notices);
  context_.send_behind_held(child, {.next = message.next,
                                    .notices = message.notices,
                                    .others = message.others,
                                    .payload = message.payload,
                                    .pushed = std::move(push),
                                    .updates = std::move(updates),
                                    .exchanges = message.exchanges});
}

void Barrier::take_pushed(const Push& push) {
  if (!push.pages.empty() || !push.ended.empty()) {
    fetcher_.on_push(parent(), context_.epoch, push);
  }
}

}  // namespace weft
