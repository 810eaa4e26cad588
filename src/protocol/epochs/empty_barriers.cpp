// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/empty_barriers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "protocol/interface/bugs.hpp"

namespace weft {
namespace {

// Of barriers in a row that is as long as that, each is at the same place.
constexpr std::uint32_t kPlacesInARow = 3;
// So often in a row nobody is told of anything. What other layers keep until an epoch has ended
// (memory that was freed, addresses) must go at last.
constexpr std::uint32_t kMostInARow = 1000;

}  // namespace

Meeting* EmptyBarriers::meeting() const {
  return context_.config.may_meet() ? context_.exposed.meeting() : nullptr;
}

EmptyBarriers::Place EmptyBarriers::place() const {
  return {pusher_.phase(), std::min(passed_, kPlacesInARow)};
}

bool EmptyBarriers::is_tried() const { return proofs_.has(place()) && passed_ < kMostInARow; }

// --- barriers ---

bool EmptyBarriers::meet(const step::EnterBarrier& barrier) {
  ++reached_;
  is_before_publication_ = looks_for_publication_ = false;
  Meeting* const meeting = this->meeting();
  if (meeting == nullptr) return false;
  fits_ = fits(barrier.input);
  if (!is_tried() || !fits_ || !has_nothing_to_tell(barrier.input)) {
    meeting->tell(reached_);
    return false;
  }
  const BarrierInput& input = barrier.input;
  if (!input.contribution.empty()) {
    meeting->bring(reached_, context_.config.self.value(), input.contribution);
  }
  switch (meeting->come(reached_, context_.config.node_count, input.votes)) {
    case Met::kAll:
      pass(barrier);
      return true;
    case Met::kNobody:
      return false;
    case Met::kNotYet:
      waiting_ = barrier;
      return true;
  }
  return false;
}

// What comes by messages is passed on as it is: then nodes but node 0 have nothing to wait for.
bool EmptyBarriers::gather(WaitId wait) {
  Meeting* const meeting = this->meeting();
  if (meeting == nullptr) return false;
  if (!may_bring() || others_are_there_ || !is_tried()) {
    meeting->tell(reached_ + 1);
    return false;
  }
  WEFT_PROBE(context_, kGather);
  if (!context_.is_self(NodeId(0))) {
    context_.effects.complete_gather(wait, {});
    return true;
  }
  gathering_ = wait;
  return !look_for_contributions(/*gives_up=*/false).gather;
}

EmptyBarriers::ByMessages EmptyBarriers::look(bool gives_up) {
  if (gathering_) return look_for_contributions(gives_up);
  ByMessages by_messages;
  if (waiting_) by_messages = look_for_others(gives_up);
  if (looks_for_publication_) look_for_publication(gives_up);
  return by_messages;
}

// Node 0 does not come before it has them, so nobody brings anything to a later barrier meanwhile.
EmptyBarriers::ByMessages EmptyBarriers::look_for_contributions(bool gives_up) {
  Meeting& meeting = *this->meeting();
  const std::uint64_t barrier = reached_ + 1;
  const auto others = static_cast<std::uint16_t>(context_.config.node_count - 1);
  Met met = gives_up ? meeting.give_up(barrier, others) : meeting.look(barrier, others);
  if (WEFT_BUG(kGatherUncounted) && meeting.look(barrier, 1) == Met::kAll) met = Met::kAll;
  if (met == Met::kNotYet) return {};
  const WaitId wait = *std::exchange(gathering_, std::nullopt);
  if (met == Met::kNobody) return {.barrier = {}, .gather = wait};
  std::vector<Contribution> contributions;
  for (NodeId node(1); node.value() < context_.config.node_count; ++node) {
    const ByteView brought = meeting.brought(barrier, node.value());
    if (!brought.empty()) contributions.push_back({node, Bytes(brought.begin(), brought.end())});
  }
  context_.effects.complete_gather(wait, std::move(contributions));
  return {};
}

EmptyBarriers::ByMessages EmptyBarriers::look_for_others(bool gives_up) {
  if (gives_up && WEFT_BUG(kGiveUpUnsaid)) {
    return {.barrier = std::exchange(waiting_, std::nullopt), .gather = {}};
  }
  Meeting& meeting = *this->meeting();
  const std::uint16_t nodes = context_.config.node_count;
  const Met met = gives_up ? meeting.give_up(reached_, nodes) : meeting.look(reached_, nodes);
  if (met == Met::kNotYet) return {};
  std::optional<step::EnterBarrier> barrier = std::exchange(waiting_, std::nullopt);
  if (met == Met::kNobody) return {.barrier = std::move(barrier), .gather = {}};
  pass(*barrier);
  return {};
}

void EmptyBarriers::pass(const step::EnterBarrier& barrier) {
  const BarrierInput& input = barrier.input;
  const bool is_root = context_.is_self(NodeId(0));
  ++passed_;
  ++context_.counters.empty_barriers;
  WEFT_PROBE(context_, kEmptyBarrier);
  if (!input.contribution.empty() && !is_root) {
    ++context_.counters.contributions_met;
    WEFT_PROBE(context_, kMetContribution);
  }
  is_before_publication_ = input.precedes_publication;
  looks_for_publication_ = input.precedes_publication && !is_root;
  const std::uint8_t votes = WEFT_BUG(kMeetWithoutVotes) ? input.votes : meeting()->votes(reached_);
  context_.effects.complete_barrier(barrier.wait, votes);
}

bool EmptyBarriers::may_bring() const {
  const EngineConfig& config = context_.config;
  return config.passes_contributions_on() && config.node_count <= Meeting::kMostBringing;
}

bool EmptyBarriers::fits(const BarrierInput& input) const {
  if (input.release_to_parent) return false;
  const std::size_t bytes = input.contribution.size();
  return bytes == 0 || (may_bring() && bytes <= context_.config.met_contribution_bytes);
}

// Only of this node: what it has heard of others, they tell themselves.
bool EmptyBarriers::has_nothing_to_tell(const BarrierInput& input) {
  if (input.others_here || others_are_there_) return false;
  return coherence_.has_written_nothing(pusher_.phase()) || WEFT_BUG(kMeetUnsearched);
}

void EmptyBarriers::note_departure(const BarrierDepart& all) {
  const bool says_nothing = all.notices.empty() && all.settled.empty() && all.moves.empty() &&
                            all.tree.empty() && all.others.empty();
  // Nodes that come so late that others sleep meanwhile are told by messages sooner.
  const Meeting* const meeting = this->meeting();
  const bool was_given_up = meeting != nullptr && meeting->was_given_up(reached_);
  proofs_.note(place(), says_nothing && fits_ && !was_given_up);
  others_are_there_ = !all.others.empty();
}

// --- publications ---

// Behind a barrier at which all have come to this very epoch.
bool EmptyBarriers::publish(const step::EnterPublication& publication) {
  Meeting* const meeting = this->meeting();
  const bool is_looked_for = is_before_publication_ || WEFT_BUG(kPublishUnlooked);
  if (meeting == nullptr || !is_looked_for || publication.others_here) return false;
  if (publication.payload.size() > Meeting::kMostPublished) return false;
  const bool has_written = !coherence_.has_written_nothing(pusher_.phase());
  if (has_written && !WEFT_BUG(kPublishUnsearched)) return false;
  const bool is_seen = meeting->publish(reached_, publication.payload);
  if (!is_seen && !WEFT_BUG(kPublishToSleepers)) return false;
  is_before_publication_ = false;
  ++context_.counters.empty_publications;
  WEFT_PROBE(context_, kEmptyPublication);
  context_.effects.complete(publication.wait);
  return true;
}

void EmptyBarriers::look_for_publication(bool gives_up) {
  Meeting& meeting = *this->meeting();
  const Shown shown =
      gives_up ? meeting.stop_looking(reached_) : meeting.look_for_publication(reached_);
  if (shown == Shown::kNotYet) return;
  looks_for_publication_ = false;
  if (shown == Shown::kByMessage) return;
  ++context_.counters.empty_publications;
  WEFT_PROBE(context_, kEmptyPublication);
  context_.effects.deliver_publication(meeting.published());
}

}  // namespace weft
