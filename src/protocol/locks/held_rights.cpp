// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/locks/held_rights.hpp"

#include <algorithm>

#include "base/assert.hpp"

namespace weft {
namespace {

// A target as a word: from the highest bits on, offset, operation, type and size.
constexpr unsigned kSizeBits = 5;
constexpr unsigned kTypeBits = 3;
constexpr unsigned kOperationBits = 5;
constexpr unsigned kOffsetShift = kSizeBits + kTypeBits + kOperationBits;

// A number says how many rights have begun before, and where the right is.
constexpr unsigned kPlaceBits = 24;

std::uint64_t packed(const AddingTarget& target) {
  std::uint64_t word = target.where.bytes();
  word = word << kOperationBits | static_cast<std::uint64_t>(target.operation);
  word = word << kTypeBits | static_cast<std::uint64_t>(target.type);
  return word << kSizeBits | target.size;
}

}  // namespace

void HeldRights::Right::set_targets(const AddingTargets& targets) {
  WEFT_ASSERT(targets.size() <= kMostAddingTargets, "{} targets", targets.size());
  count_ = static_cast<std::uint32_t>(targets.size());
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
  const std::uint64_t begin = input.where.bytes();
  const std::uint64_t end = begin + input.size;
  return any_target([&](std::uint64_t target) {
    const std::uint64_t where = target >> kOffsetShift;
    const std::uint64_t size = target & ((1U << kSizeBits) - 1);
    return where < end && begin < where + size;
  });
}

std::size_t HeldRights::place_of(std::uint64_t number) { return number & ((1U << kPlaceBits) - 1); }

std::uint64_t HeldRights::begin(const AddingTargets& targets) {
  if (free_.empty()) {
    WEFT_ASSERT(rights_.size() < std::size_t{1} << kPlaceBits, "{} rights", rights_.size());
    free_.push_back(rights_.size());
    rights_.emplace_back();
  }
  const std::uint64_t number = ++begun_ << kPlaceBits | free_.back();
  free_.pop_back();
  Right& right = rights_[place_of(number)];
  right.number_ = number;
  right.uses_ = 0;
  right.set_targets(targets);
  return number;
}

std::uint32_t HeldRights::end(std::uint64_t number) {
  Right& right = rights_[place_of(number)];
  WEFT_ASSERT(right.number_ == number, "right {} is {}", number, right.number_);
  right.number_ = 0;
  free_.push_back(place_of(number));
  return right.uses_;
}

HeldRights::Right* HeldRights::find(std::uint64_t number) {
  const std::size_t place = place_of(number);
  if (number == 0 || place >= rights_.size() || rights_[place].number_ != number) return nullptr;
  return &rights_[place];
}

}  // namespace weft
