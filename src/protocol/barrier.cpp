// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/barrier.hpp"

#include <algorithm>
#include <utility>

#include "protocol/bugs.hpp"
#include "protocol/settled_notices.hpp"

namespace weft {

void Barrier::gather(WaitId wait) {
  WEFT_ASSERT(!wait_ && !gather_wait_, "node {} gathers after it has arrived",
              context_.config.self.value());
  gather_wait_ = wait;
  end_gather_if_complete();
}

void Barrier::arrive(WaitId wait, const BarrierInput& input) {
  WEFT_ASSERT(!wait_ && !gather_wait_, "node {} arrives twice", context_.config.self.value());
  ++context_.counters.barriers;
  wait_ = wait;
  next_ = input.next;
  votes_ |= input.votes;
  contribution_ = input.contribution;
  if (input.release_to_parent && !context_.is_self(NodeId(0))) {
    coherence_.close_interval();
    records_ = coherence_.unsent_records(parent());
  }
  if (input.others_here) others_.insert(context_.config.self);
  std::vector<Notice> notices = coherence_.close_epoch(input.others_here, false);
  const std::vector<SettledNotice> settled = holders_.announce(notices);
  if (!context_.is_self(NodeId(0))) pushes_.choose(parent(), next_, settled);
  add(notices, settled);
  pass_up_if_complete();
}

void Barrier::on_arrive(NodeId from, Epoch epoch, const BarrierArrive& message) {
  ++children_arrived_;
  if (!WEFT_BUG(kVoteOfOneChild) || votes_ == 0) votes_ |= message.votes;
  Brought& brought = children_bring_[from];
  brought.expected = message.contribution_bytes;
  brought.bytes.insert(brought.bytes.end(), message.contribution.begin(),
                       message.contribution.end());
  add(message.notices, message.settled);
  pushes_.keep(from, message.pushed);
  others_.insert(message.others.begin(), message.others.end());
  if (!WEFT_BUG(kContributionWithoutRecords)) coherence_.apply(epoch, message.records);
  end_gather_if_complete();
  pass_up_if_complete();
}

void Barrier::on_part(NodeId from, const BarrierPart& message) {
  Bytes& bytes = children_bring_[from].bytes;
  bytes.insert(bytes.end(), message.bytes.begin(), message.bytes.end());
  end_gather_if_complete();
  pass_up_if_complete();
}

bool Barrier::children_are_here() const {
  if (WEFT_BUG(kGatherTooEarly) && gather_wait_ && children_arrived_ > 0) return true;
  if (children_arrived_ < children().size()) return false;
  if (WEFT_BUG(kGatherWithoutParts)) return true;
  return std::ranges::all_of(children_bring_, [](const auto& child) {
    return child.second.bytes.size() == child.second.expected;
  });
}

// The contributions may name memory that the children wrote: what they sent of it comes first.
void Barrier::end_gather_if_complete() {
  if (!gather_wait_ || !children_are_here()) return;
  streams_.when_settled([this, wait = *std::exchange(gather_wait_, std::nullopt)] {
    std::vector<Contribution> contributions;
    for (auto& [from, brought] : children_bring_) {
      contributions.push_back({from, std::exchange(brought.bytes, {})});
      brought.expected = 0;
    }
    context_.effects.complete_gather(wait, std::move(contributions));
  });
}

void Barrier::add(const std::vector<Notice>& notices, const std::vector<SettledNotice>& settled) {
  for (const Notice& notice : notices) gathered_[notice.writer].insert(notice.pages);
  settled_.insert(settled_.end(), settled.begin(), settled.end());
}

void Barrier::pass_up_if_complete() {
  if (!wait_ || !children_are_here()) return;
  children_arrived_ = 0;
  children_bring_.clear();
  const bool is_root = context_.is_self(NodeId(0));
  const std::uint8_t votes = std::exchange(votes_, 0);
  std::vector<SettledNotice> settled = std::exchange(settled_, {});
  if (is_root) tell_all_of_disputed(settled, gathered_);
  std::vector<Notice> notices;
  for (auto& [writer, pages] : std::exchange(gathered_, {})) {
    notices.push_back({writer, std::move(pages)});
  }
  const std::set<NodeId> others = std::exchange(others_, {});
  BarrierDepart all{
      next_, std::move(notices), {others.begin(), others.end()}, votes, std::move(settled), {}, {}};
  if (is_root) return on_depart(all);
  count_notices(all.notices, all.settled);
  send_up(std::move(all));
}

// A long contribution must not hold up other control messages.
void Barrier::send_up(BarrierDepart subtree) {
  const Bytes contribution = std::exchange(contribution_, {});
  const FinalUpdate early = coherence_.take_early_final(parent());
  if (!contribution.empty()) ++context_.counters.contributions_sent;
  const std::size_t most = context_.config.contribution_part_bytes;
  ByteView all = contribution;
  const bool in_parts = all.size() > most;
  for (ByteView left = all; in_parts && !left.empty();
       left = left.subspan(std::min(most, left.size()))) {
    context_.send(parent(), Priority::kData, BarrierPart{left.first(std::min(most, left.size()))});
  }
  context_.send(parent(), Priority::kControl,
                BarrierArrive{std::move(subtree.notices), std::move(subtree.others), subtree.votes,
                              all.size(), in_parts ? ByteView() : all, std::exchange(records_, {}),
                              std::move(subtree.settled), pushes_.up(), early.updates()});
}

void Barrier::on_depart(const BarrierDepart& message) {
  WEFT_ASSERT(wait_, "node {} departs and has not arrived", context_.config.self.value());
  last_others_ = message.others;
  const bool may_push = message.others.empty();
  pass_down_early(message);
  std::vector<Notice> notices = message.notices;
  add_own(message.settled, context_.config.self, notices);
  // Of its own it knows without being told.
  PageSet settled_here = holders_.settle(message.notices);
  pushes_.begin_turn(parent(), message.next, may_push ? settled_here : PageSet());
  notices.push_back({context_.config.self, std::move(settled_here)});
  const auto turned = [&](EpochTurn::Finals& finals) {
    pass_down_pushing(message, finals);
    pushes_.take_kept(message.next, may_push ? message.settled : std::vector<SettledNotice>());
    take_pushed(message.pushed);
  };
  turn_.begin({notices, message.others, message.next, false, turned},
              [this, votes = message.votes, wait = *std::exchange(wait_, std::nullopt)] {
                context_.effects.complete_barrier(wait, votes);
              });
}

// Threads outside the team that other nodes have now were there at the last barrier: nobody but
// such threads could have made one since.
void Barrier::publish(ByteView payload, IntervalKey next, bool others_here, WaitId wait) {
  WEFT_ASSERT(context_.config.self.value() == 0 && !wait_, "node {} may not publish",
              context_.config.self.value());
  std::erase(last_others_, context_.config.self);
  if (others_here) last_others_.insert(last_others_.begin(), context_.config.self);
  std::vector<Notice> notices = coherence_.close_epoch(others_here, !last_others_.empty());
  end_epoch({next, std::move(notices), last_others_, payload, {}, {}},
            [this, wait] { context_.effects.complete(wait); });
}

void Barrier::on_publish(const Publish& message) {
  WEFT_ASSERT(!wait_, "publication while node {} is in a barrier", context_.config.self.value());
  end_epoch(message, [this, payload = Bytes(message.payload.begin(), message.payload.end())] {
    context_.effects.deliver_publication(payload);
  });
}

void Barrier::end_epoch(const Publish& message, std::function<void()> done) {
  ++context_.counters.publications;
  pass_down_early(message);
  const auto turned = [&](EpochTurn::Finals& finals) {
    pass_down_pushing(message, finals);
    take_pushed(message.pushed);
  };
  turn_.begin({message.notices, message.others, message.next, true, turned}, std::move(done));
}

NodeId Barrier::parent() const {
  const unsigned self = context_.config.self.value();
  return NodeId(static_cast<std::uint16_t>((self - 1) / context_.config.barrier_arity));
}

std::vector<NodeId> Barrier::children() const {
  const std::uint64_t arity = context_.config.barrier_arity;
  const std::uint64_t first = context_.config.self.value() * arity + 1;
  const std::uint64_t end = std::min<std::uint64_t>(first + arity, context_.config.node_count);
  std::vector<NodeId> nodes;
  for (std::uint64_t child = first; child < end; ++child) {
    nodes.push_back(NodeId(static_cast<std::uint16_t>(child)));
  }
  return nodes;
}

// What threads outside the team have written late is on its way to homes, and in no notices: what
// the barrier's own messages carry would lack it.
template <typename Message>
bool Barrier::pushes_to(NodeId child, const Message& message) const {
  return message.others.empty() && pusher_.serves(child, message.next);
}

template <typename Message>
void Barrier::pass_down_early(const Message& message) {
  for (const NodeId child : children()) {
    if (!pushes_to(child, message)) pass_down(child, message, {}, {});
  }
}

template <typename Message>
void Barrier::pass_down_pushing(const Message& message, EpochTurn::Finals& finals) {
  for (const NodeId child : children()) {
    if (!pushes_to(child, message)) continue;
    FinalUpdate final;
    const auto owed = finals.find(child);
    if (owed != finals.end() && owed->second.size() <= context_.config.barrier_pages) {
      final = coherence_.make_final(child, std::move(owed->second), false);
      finals.erase(owed);
      if (WEFT_BUG(kLoseCarriedFinal)) final = {};
    }
    pass_down(child, message, pusher_.take_for(child), final.updates());
  }
}

void Barrier::pass_down(NodeId child, const BarrierDepart& message, Push push,
                        std::vector<Update> updates) {
  const BarrierDepart part{message.next,
                           message.notices,
                           message.others,
                           message.votes,
                           for_subtree(message.settled, child, context_.config.barrier_arity),
                           std::move(push),
                           std::move(updates)};
  count_notices(part.notices, part.settled);
  context_.send(child, Priority::kControl, part);
}

void Barrier::pass_down(NodeId child, const Publish& message, Push push,
                        std::vector<Update> updates) {
  count_notices(message.notices);
  context_.send(child, Priority::kControl,
                Publish{message.next, message.notices, message.others, message.payload,
                        std::move(push), std::move(updates)});
}

void Barrier::take_pushed(const Push& push) {
  if (!push.pages.empty() || !push.ended.empty()) {
    pusher_.on_push(parent(), context_.epoch, push);
  }
}

void Barrier::count_notices(const std::vector<Notice>& notices,
                            const std::vector<SettledNotice>& settled) {
  std::uint64_t& sent = context_.counters.notices_sent;
  for (const Notice& notice : notices) sent += notice.pages.range_count();
  for (const SettledNotice& notice : settled) sent += notice.pages.range_count();
}

}  // namespace weft
