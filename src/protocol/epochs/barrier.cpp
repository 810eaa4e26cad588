// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/barrier.hpp"

#include <algorithm>
#include <utility>

#include "protocol/interface/bugs.hpp"
#include "protocol/tree/settled_notices.hpp"

namespace weft {

void Barrier::gather(WaitId wait) {
  context_.turn_barrier(BarrierEvent::kGather);
  context_.send_held();
  wait_ = wait;
  WEFT_PROBE(context_, kGather);
  end_gather_if_complete();
}

void Barrier::arrive(WaitId wait, const BarrierInput& input) {
  context_.turn_barrier(BarrierEvent::kArrive);
  context_.send_held();
  ++context_.counters.barriers;
  wait_ = wait;
  next_ = input.next;
  threads_wait_ = input.threads_wait;
  precedes_publication_ = input.precedes_publication;
  votes_ |= input.votes;
  contributions_.bring(input.contribution);
  if (!input.contribution.empty() && !context_.is_self(NodeId(0))) {
    ++context_.counters.contributions_sent;
    WEFT_PROBE(context_, kContribution);
  }
  if (input.release_to_parent && !context_.is_self(NodeId(0))) {
    coherence_.close_interval();
    WEFT_PROBE(context_, kReleaseToParent);
    releases_ = true;
  }
  report_links();
  if (PageSet pages = turn_.offers().offer(); !pages.empty()) {
    offers_.push_back({context_.config.self, std::move(pages)});
    WEFT_PROBE(context_, kOffer);
  }
  if (input.others_here) others_.insert(context_.config.self);
  std::vector<Notice> notices = coherence_.close_epoch(pusher_.phase(), input.others_here, false);
  const std::vector<SettledNotice> settled = holders_.announce(notices);
  WEFT_PROBE_IF(!settled.empty(), context_, kSettledNotice);
  PageSet written;
  for (const Notice& notice : notices) written.insert(notice.pages);
  for (const SettledNotice& notice : settled) written.insert(notice.pages);
  const bool crosses = may_cross(input);
  const NodeId to = crosses ? opposite() : parent();
  // With threads outside the team, who are there for more than one barrier, it would not count.
  if (to != kNoNode && !input.others_here && last_others_.empty()) {
    const bool may_meet = crosses || crossed_.contains(next_);
    pushes_.choose(tree_, to, next_, settled, written,
                   may_meet ? coherence_.shared_here(written) : PageSet(),
                   coherence_.acquired_from(to));
  }
  if (crosses) {
    send_across(input, notices, settled);
  } else if (context_.is_self(NodeId(0))) {
    note_known(settled, written);
  }
  add(notices, settled, coherence_.replaced());
  pass_up_if_complete();
}

void Barrier::on_arrive(NodeId from, Epoch epoch, const BarrierArrive& message) {
  if (from == parent()) return on_across(message);
  if (from == opposite()) pushes_.note_other(message.whole);
  ++children_arrived_;
  if (!WEFT_BUG(kVoteOfOneChild) || votes_ == 0) votes_ |= message.votes;
  contributions_.on_arrive(from, message.contribution_bytes, message.contribution);
  links_.insert(links_.end(), message.links.begin(), message.links.end());
  offers_.insert(offers_.end(), message.offers.begin(), message.offers.end());
  add(message.notices, message.settled, message.replaced);
  exchanges_.choice.add(message.traffic);
  pushes_.keep(from, message.pushed);
  others_.insert(message.others.begin(), message.others.end());
  if (!WEFT_BUG(kContributionWithoutRecords)) coherence_.apply(epoch, message.records);
  // They are for whoever gets the contribution, or what is made of it.
  releases_ |= !message.records.empty() && !WEFT_BUG(kReleaseToParentAlone);
  end_gather_if_complete();
  pass_up_if_complete();
}

void Barrier::on_part(NodeId from, const BarrierPart& message) {
  contributions_.on_part(from, message.bytes);
  end_gather_if_complete();
  pass_up_if_complete();
}

bool Barrier::children_are_here() const {
  if (WEFT_BUG(kGatherTooEarly) && gathers() && children_arrived_ > 0) return true;
  if (children_arrived_ < children().size()) return false;
  return contributions_.are_complete() || WEFT_BUG(kGatherWithoutParts);
}

// The contributions may name memory that the children wrote: what they sent of it comes first.
void Barrier::end_gather_if_complete() {
  if (!gathers() || !children_are_here()) return;
  if (contributions_.are_long()) shaper_.note_long_contributions();
  context_.turn_barrier(BarrierEvent::kGathered);
  if (streams_.settled_or_keep(step::CompleteGather{wait_})) complete_gather(wait_);
}

void Barrier::complete_gather(WaitId wait) {
  context_.effects.complete_gather(wait, contributions_.take());
}

void Barrier::add(const std::vector<Notice>& notices, const std::vector<SettledNotice>& settled,
                  const PageSet& replaced) {
  replaced_.insert(replaced);
  for (const Notice& notice : notices) gathered_[notice.writer].insert(notice.pages);
  settled_.insert(settled_.end(), settled.begin(), settled.end());
}

void Barrier::pass_up_if_complete() {
  if (!has_arrived() || !children_are_here()) return;
  children_arrived_ = 0;
  if (!context_.is_self(NodeId(0))) {
    BarrierDepart subtree = take_gathered(false);
    count_notices(subtree.notices, subtree.settled);
    send_up(std::move(subtree));
    return meet();
  }
  (void)contributions_.take_for_parent();
  BarrierDepart all = take_gathered(true);
  all.next = next_;
  all.tree = next_tree();
  exchanges_.choice.learn();
  // Where arrivals have crossed nobody hears of one.
  if (!has_crossed_ || WEFT_BUG(kExchangeUntold)) all.exchanges = exchanges_.choice.choose(next_);
  context_.holds_departures = may_hold(all);
  is_awaited_ = false;
  WEFT_PROBE_IF(context_.holds_departures, context_, kHeldDeparture);
  may_still_hold_ = true;
  on_depart(all);
}

bool Barrier::is_alone() const {
  const bool goes_on_alone = precedes_publication_ || empty_.is_before_publication();
  return goes_on_alone && context_.is_self(NodeId(0)) &&
         std::ranges::all_of(last_others_, [&](NodeId each) { return context_.is_self(each); });
}

void Barrier::end_holding() {
  if (!std::exchange(may_still_hold_, false)) return;
  context_.holds_departures = false;
  // What this node waits for, they send once they have departed.
  const bool waits = context_.is_departing() || pusher_.expects_any();
  if (waits && !WEFT_BUG(kHoldWhileDeparting)) context_.send_held();
}

BarrierDepart Barrier::take_gathered(bool of_all) {
  BarrierDepart gathered;
  gathered.votes = std::exchange(votes_, 0);
  gathered.settled = std::exchange(settled_, {});
  gathered.replaced = std::exchange(replaced_, {});
  if (of_all) tell_all_of_disputed(gathered.settled, gathered_);
  for (auto& [writer, pages] : std::exchange(gathered_, {})) {
    gathered.notices.push_back({writer, std::move(pages)});
  }
  const std::set<NodeId> others = std::exchange(others_, {});
  gathered.others = {others.begin(), others.end()};
  if (of_all) gathered.moves = accept_offers(gathered);
  return gathered;
}

std::uint64_t Barrier::pages_named(const BarrierDepart& all) {
  std::uint64_t pages = 0;
  for (const Notice& notice : all.notices) pages += notice.pages.page_count();
  for (const SettledNotice& notice : all.settled) pages += notice.pages.page_count();
  return pages;
}

// With another tree the publication takes another way than the departure. Threads outside the team
// go on behind the barrier, and pay for all that they do before their node departs.
bool Barrier::may_hold(const BarrierDepart& all) const {
  if (!all.tree.empty() && !WEFT_BUG(kHoldWithNewTree)) return false;
  if (pages_named(all) > context_.config.held_pages) return false;
  return precedes_publication_ && all.others.empty() && !is_awaited_;
}

// To have received it is enough if this node holds departures; else it is not to hold them.
void Barrier::on_wish(Epoch epoch) {
  if (epoch == context_.epoch && !WEFT_BUG(kForgetWish)) is_awaited_ = true;
}

// With threads outside the team no home moves.
std::vector<Notice> Barrier::accept_offers(const BarrierDepart& all) {
  std::vector<Notice> offers = std::exchange(offers_, {});
  if (!all.others.empty()) return {};
  std::ranges::sort(offers, {}, &Notice::writer);  // alike where both decide
  return accepted_offers(std::move(offers), all.notices, all.settled);
}

// A long contribution must not hold up other control messages.
void Barrier::send_up(BarrierDepart subtree) {
  const Bytes contribution = contributions_.take_for_parent();
  std::vector<Record> records;
  if (std::exchange(releases_, false)) records = coherence_.unsent_records(parent());
  const FinalUpdate early = coherence_.take_early_final(parent());
  const bool may_meet = opposite() != kNoNode;
  if (may_meet) pushes_.note_own(early);
  std::vector<SharedPush> pushes = pushes_.up(parent());
  const std::size_t most = context_.config.contribution_part_bytes;
  ByteView all = contribution;
  const bool in_parts = all.size() > most;
  for (ByteView left = all; in_parts && !left.empty();
       left = left.subspan(std::min(most, left.size()))) {
    context_.send(parent(), Priority::kData, BarrierPart{left.first(std::min(most, left.size()))});
  }
  BarrierArrive arrival{.notices = std::move(subtree.notices),
                        .others = std::move(subtree.others),
                        .votes = subtree.votes,
                        .contribution_bytes = all.size(),
                        .contribution = in_parts ? ByteView() : all,
                        .records = std::move(records),
                        .settled = std::move(subtree.settled),
                        .pushed = std::move(pushes),
                        .updates = early.updates(),
                        .links = std::exchange(links_, {}),
                        .offers = std::exchange(offers_, {}),
                        .next = {},
                        .whole = may_meet ? early.whole : PageSet(),
                        .replaced = std::move(subtree.replaced),
                        .traffic = exchanges_.choice.take_for_parent()};
  context_.send(parent(), Priority::kControl, arrival);
  if (may_meet) sent_up_ = without_views(std::move(arrival));
}

std::uint32_t Barrier::arity() const {
  const EngineConfig& config = context_.config;
  return config.shapes_tree() ? std::max<std::uint32_t>(config.node_count, 2) - 1
                              : config.barrier_arity;
}

BarrierTree Barrier::first_tree() const { return {context_.config.node_count, arity()}; }

// All nodes count barriers alike.
bool Barrier::shapes_now() const {
  return context_.config.shapes_tree() &&
         context_.counters.barriers % context_.config.barriers_per_tree == 0;
}

void Barrier::report_links() {
  if (!shapes_now()) return;
  const std::vector<Link> own = context_.links.take(context_.config.self);
  links_.insert(links_.end(), own.begin(), own.end());
}

std::vector<NodeId> Barrier::next_tree() {
  if (!shapes_now()) return {};
  shaper_.count(std::exchange(links_, {}));
  const std::optional<BarrierTree> tree = shaper_.choose(tree_, first_tree());
  if (!tree) return {};
  ++context_.counters.trees_shaped;
  WEFT_PROBE(context_, kNewTree);
  return tree->parents();
}

void Barrier::count_notices(const std::vector<Notice>& notices,
                            const std::vector<SettledNotice>& settled) {
  std::uint64_t& sent = context_.counters.notices_sent;
  for (const Notice& notice : notices) sent += notice.pages.range_count();
  for (const SettledNotice& notice : settled) sent += notice.pages.range_count();
}

}  // namespace weft
