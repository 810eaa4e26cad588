// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/held_rights.hpp"

#include <algorithm>
#include <utility>

#include "base/assert.hpp"

namespace weft {
namespace {

// A target as a word: from the highest bits on, offset, operation, type and size.
constexpr unsigned kSizeBits = 5;
constexpr unsigned kTypeBits = 3;
constexpr unsigned kOperationBits = 5;
constexpr unsigned kOffsetShift = kSizeBits + kTypeBits + kOperationBits;

std::uint64_t packed(const AddingTarget& target) {
  std::uint64_t word = target.where.bytes();
  word = word << kOperationBits | static_cast<std::uint64_t>(target.operation);
  word = word << kTypeBits | static_cast<std::uint64_t>(target.type);
  return word << kSizeBits | target.size;
}

}  // namespace

void HeldRights::Right::set_targets(const AddingTargets& targets) {
  WEFT_ASSERT(targets.size() <= kMostAddingTargets, "{} targets", targets.size());
  count_ = static_cast<std::uint16_t>(targets.size());
  if (count_ > kNear && !far_) far_ = std::make_unique<Far>();
  for (std::size_t at = 0; at < targets.size(); ++at) {
    (at < kNear ? near_[at] : (*far_)[at - kNear]) = packed(targets[at]);
  }
}

bool HeldRights::Right::covers(const AtomicRequest& update) const {
  return any_target(
      [target = packed(target_of(update))](std::uint64_t each) { return each == target; });
}

bool HeldRights::Right::overlaps(const AddingInput& input) const {
  return any_target([begin = input.where.bytes(), bytes = input.size](std::uint64_t target) {
    return overlap(target >> kOffsetShift, target & ((1U << kSizeBits) - 1), begin, bytes);
  });
}

std::size_t HeldRights::place_of(std::uint64_t number) const {
  return number & (rights_.size() - 1);
}

// At least half of the places are free, so one is found soon.
std::uint64_t HeldRights::begin(LockId lock, const AddingTargets& targets) {
  if (++held_ * 2 > rights_.size()) grow();
  do {
    ++begun_;
  } while (rights_[place_of(begun_)].number_ != 0);
  idle_[place_of(begun_)] = {.lock = lock};
  Right& right = rights_[place_of(begun_)];
  right.number_ = begun_;
  right.uses_ = 0;
  right.is_used_ = true;  // it will be
  right.set_targets(targets);
  return begun_;
}

// Two that have places of their own have such among twice as many.
void HeldRights::grow() {
  std::vector<Right> rights = std::exchange(rights_, {});
  std::vector<Idle> idle = std::exchange(idle_, {});
  rights_.resize(std::max(kFewest, rights.size() * 2));
  idle_.resize(rights_.size());
  for (std::size_t at = 0; at < rights.size(); ++at) {
    if (rights[at].number_ == 0) continue;
    const std::size_t place = place_of(rights[at].number_);
    rights_[place] = std::move(rights[at]);
    idle_[place] = idle[at];
  }
}

std::uint32_t HeldRights::end(std::uint64_t number) {
  Right* const right = find(number);
  WEFT_ASSERT(right != nullptr, "right {} has ended", number);
  right->number_ = 0;
  --held_;
  return right->uses_;
}

HeldRights::Right* HeldRights::find(std::uint64_t number) {
  if (number == 0 || rights_.empty()) return nullptr;
  Right& right = rights_[place_of(number)];
  return right.number_ == number ? &right : nullptr;
}

std::vector<HeldRights::Idle> HeldRights::look() {
  std::vector<Idle> found;
  for (std::size_t place = 0; place < rights_.size(); ++place) {
    if (rights_[place].number_ == 0) continue;
    Idle& idle = idle_[place];
    idle.looks = std::exchange(rights_[place].is_used_, false) ? 0 : idle.looks + 1;
    if (idle.looks > 0) found.push_back(idle);
  }
  return found;
}

}  // namespace weft
