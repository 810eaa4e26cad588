// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/updates/update_streams.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "protocol/interface/bugs.hpp"

namespace weft {

UpdateSequence UpdateStreams::next_to(NodeId home, bool notice, bool before_looks) {
  UpdateSequence& last = sent_[home];
  ++last;
  if (before_looks) before_looks_[home] = last;
  if (notice) unnoticed_[home] = last;
  return last;
}

UpdateSequence UpdateStreams::last_to(NodeId home) const {
  const auto place = sent_.find(home);
  return place == sent_.end() ? UpdateSequence() : place->second;
}

UpdateSequence UpdateStreams::last_before_looks(NodeId home) const {
  const auto place = before_looks_.find(home);
  return place == before_looks_.end() ? UpdateSequence() : place->second;
}

// What was sent before the first look may have been of the page.
std::vector<StreamPosition> UpdateStreams::look_requirement_at(NodeId home, PageIndex page) {
  if (!looked_at_.contains(page)) {
    looked_at_.insert(page);
    before_looks_[home] = last_to(home);
  }
  std::vector<StreamPosition> positions = others_at(home);
  positions.push_back({self_, last_before_looks(home)});
  return positions;
}

std::vector<StreamPosition> UpdateStreams::take_unnoticed() {
  std::vector<StreamPosition> positions;
  for (const auto& [home, sequence] : unnoticed_) positions.push_back({home, sequence});
  unnoticed_.clear();
  return positions;
}

void UpdateStreams::require(NodeId home, NodeId writer, UpdateSequence sequence) {
  UpdateSequence& required = requirements_[home][writer];
  required = std::max(required, sequence);
}

std::vector<StreamPosition> UpdateStreams::requirement_at(NodeId home) const {
  std::vector<StreamPosition> positions;
  const auto own = sent_.find(home);
  if (own != sent_.end() && !WEFT_BUG(kSkipOwnStream)) positions.push_back({self_, own->second});
  const auto required = requirements_.find(home);
  if (required == requirements_.end()) return positions;
  for (const auto& [writer, sequence] : required->second) positions.push_back({writer, sequence});
  return positions;
}

std::vector<StreamPosition> UpdateStreams::others_at(NodeId home) const {
  std::vector<StreamPosition> positions = requirement_at(home);
  // One's own come in order anyhow.
  std::erase_if(positions, [this](const StreamPosition& each) { return each.node == self_; });
  return positions;
}

void UpdateStreams::count_applied(NodeId writer, UpdateSequence sequence) {
  UpdateSequence& last = applied_[writer];
  WEFT_ASSERT(sequence.value() == last.value() + 1, "update {} of node {} after {}",
              sequence.value(), writer.value(), last.value());
  last = sequence;
}

void UpdateStreams::need(NodeId writer, UpdateSequence sequence) {
  UpdateSequence& needed = needed_[writer];
  if (sequence <= needed) return;
  needed = sequence;
  if (has_applied({writer, sequence})) return;
  std::erase_if(unsettled_, [&](const StreamPosition& old) { return old.node == writer; });
  unsettled_.push_back({writer, sequence});
}

void UpdateStreams::vouch(NodeId writer, UpdateSequence sequence) {
  UpdateSequence& vouched = vouched_[writer];
  vouched = std::max(vouched, sequence);
}

bool UpdateStreams::has_unvouched() const {
  if (WEFT_BUG(kOverlookUpdates)) return false;
  const auto known = [](const std::map<NodeId, UpdateSequence>& positions, NodeId writer) {
    const auto found = positions.find(writer);
    return found == positions.end() ? UpdateSequence() : found->second;
  };
  return std::ranges::any_of(applied_, [&](const auto& each) {
    const auto& [writer, applied] = each;
    return applied > std::max(known(vouched_, writer), known(applied_when_asked_, writer));
  });
}

bool UpdateStreams::has_applied(const StreamPosition& position) const {
  const auto applied = applied_.find(position.node);
  return position.sequence.value() == 0 ||
         (applied != applied_.end() && applied->second >= position.sequence);
}

bool UpdateStreams::has_applied(const std::vector<StreamPosition>& positions) const {
  return std::ranges::all_of(positions,
                             [this](const StreamPosition& each) { return has_applied(each); });
}

std::vector<StreamPosition> UpdateStreams::needed_now() {
  std::erase_if(unsettled_, [this](const StreamPosition& each) { return has_applied(each); });
  if (WEFT_BUG(kAcquireWithoutUpdates)) return {};
  return unsettled_;
}

std::vector<Step> UpdateStreams::take_ready() {
  std::vector<Step> ready;
  if (paused_ || waiting_.empty()) return ready;
  std::vector<Waiting> still_waiting;
  for (Waiting& waiting : waiting_) {
    if (has_applied(waiting.requirement)) {
      ready.push_back(std::move(waiting.step));
    } else {
      still_waiting.push_back(std::move(waiting));
    }
  }
  waiting_ = std::move(still_waiting);
  return ready;
}

}  // namespace weft
