// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/epochs/empty_barriers.hpp"

#include <algorithm>
#include <utility>

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

bool EmptyBarriers::meet(const step::EnterBarrier& barrier) {
  ++reached_;
  Meeting* const meeting = this->meeting();
  if (meeting == nullptr) return false;
  const bool is_tried = proofs_.has(place()) && passed_ < kMostInARow;
  if (!is_tried || !has_nothing_to_tell(barrier.input)) {
    meeting->tell(reached_);
    return false;
  }
  switch (meeting->come(reached_, context_.config.node_count)) {
    case Met::kAll:
      pass(barrier.wait);
      return true;
    case Met::kNobody:
      return false;
    case Met::kNotYet:
      waiting_ = barrier;
      return true;
  }
  return false;
}

void EmptyBarriers::note_gather() {
  if (Meeting* const meeting = this->meeting()) meeting->tell(reached_ + 1);
}

std::optional<step::EnterBarrier> EmptyBarriers::look(bool gives_up) {
  if (gives_up && WEFT_BUG(kGiveUpUnsaid)) return std::exchange(waiting_, std::nullopt);
  Meeting& meeting = *this->meeting();
  const std::uint16_t nodes = context_.config.node_count;
  const Met met = gives_up ? meeting.give_up(reached_, nodes) : meeting.look(reached_, nodes);
  if (met == Met::kNotYet) return {};
  std::optional<step::EnterBarrier> barrier = std::exchange(waiting_, std::nullopt);
  if (met == Met::kNobody) return barrier;
  pass(barrier->wait);
  return {};
}

void EmptyBarriers::pass(WaitId wait) {
  ++passed_;
  ++context_.counters.empty_barriers;
  WEFT_PROBE(context_, kEmptyBarrier);
  context_.effects.complete_barrier(wait, /*votes=*/0);
}

// Only of this node: what it has heard of others, they tell themselves.
bool EmptyBarriers::has_nothing_to_tell(const BarrierInput& input) {
  const bool brings = input.votes != 0 || !input.contribution.empty() || input.release_to_parent;
  if (brings && !WEFT_BUG(kMeetWithVotes)) return false;
  // Other nodes say so wherever it may be; node 0 knows.
  if (input.precedes_publication && context_.is_self(NodeId(0))) return false;
  if (input.others_here || others_are_there_) return false;
  return coherence_.has_written_nothing(pusher_.phase()) || WEFT_BUG(kMeetUnsearched);
}

void EmptyBarriers::note_departure(const BarrierDepart& all) {
  const bool says_nothing = all.votes == 0 && all.notices.empty() && all.settled.empty() &&
                            all.moves.empty() && all.tree.empty() && all.others.empty();
  proofs_.note(place(), says_nothing);
  others_are_there_ = !all.others.empty();
}

}  // namespace weft
