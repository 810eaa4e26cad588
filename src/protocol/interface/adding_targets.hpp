// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What sections add to under a lock, and what they look at (protocol/locks.md, 26).
#pragma once

#include <span>
#include <vector>

#include "base/codec.hpp"
#include "protocol/interface/page_memory.hpp"

namespace weft {

// A word, and the way in which it is changed. Two that overlap and are not the same do not commute.
struct AddingTarget {
  GlobalOffset where;
  std::uint8_t size = 0;
  AtomicOperation operation = AtomicOperation::kAdd;  // subtractions are additions
  AtomicType type = AtomicType::kInteger;
  bool operator==(const AddingTarget&) const = default;
};
void put_value(WireWriter& wire, const AddingTarget& target);
void get_value(WireReader& wire, AddingTarget& target);

// Bytes that the terms of a section's sums were computed from.
struct AddingInput {
  GlobalOffset where;
  std::uint8_t size = 0;
};

// A section that was begun by a right.
struct AddingSection {
  std::span<const AtomicRequest> updates;
  std::span<const AddingInput> inputs;  // in shared memory
};

// Whether so many bytes from one offset on meet so many from another one on.
[[nodiscard]] constexpr bool overlap(std::uint64_t one, std::uint64_t one_size, std::uint64_t other,
                                     std::uint64_t other_size) {
  return one < other + other_size && other < one + one_size;
}

// What becomes of a section that was begun by a right.
enum class AddingResult : std::uint8_t {
  kAdded,
  kTakeLock,    // nothing is done: it is to be begun anew, with the lock
  kBeginAgain,  // nothing is done: it is to be begun anew, as a section that adds
};

[[nodiscard]] AddingTarget target_of(const AtomicRequest& update);

using AddingTargets = std::vector<AddingTarget>;
// Under one lock. Each addition looks through them.
inline constexpr std::size_t kMostAddingTargets = 16;

[[nodiscard]] bool covers(const AddingTargets& all, const AddingTarget& target);
[[nodiscard]] bool covers(const AddingTargets& all, const AddingTargets& some);
// Both, if they are few and commute; else the later ones.
void join_targets(AddingTargets& known, const AddingTargets& more);
// Of these, as long as there is room, those that commute with what is known.
void add_likely(AddingTargets& known, const AddingTargets& likely);

}  // namespace weft
