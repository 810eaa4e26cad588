// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the locks and sequencers that OpenMP constructs use. Kinds never collide: the low
// bits say which it is.
#pragma once

#include <cstdint>

#include "base/ids.hpp"

namespace weft::openmp {

enum class LockKind : std::uint64_t { kOwn = 0, kCritical = 1, kLock = 2, kNestLock = 3 };
inline constexpr unsigned kLockKindBits = 3;

// A lock of the program, named by the address of its variable.
inline LockId lock_of(LockKind kind, const void* variable) {
  return LockId((reinterpret_cast<std::uint64_t>(variable) << kLockKindBits) |
                static_cast<std::uint64_t>(kind));
}
// Behind the old form of atomic. (Other layers' own locks have numbers below 64.)
inline constexpr LockId kAtomicLock{64};
static_assert((kAtomicLock.value() & 7) == static_cast<std::uint64_t>(LockKind::kOwn));

enum class SequencerKind : std::uint64_t {
  kReduction = 1,
  kPartialBarrier = 2,
  kOrdered = 3,
  kDoacross = 4
};
inline constexpr unsigned kSequencerKindBits = 3;

inline SequencerId sequencer_of(SequencerKind kind, std::uint64_t instance) {
  return SequencerId((instance << kSequencerKindBits) | static_cast<std::uint64_t>(kind));
}

// The n-th construct of its kind in a region, for sequencers that serve one construct alone.
inline std::uint64_t instance_of(std::uint64_t region, std::uint64_t construct) {
  constexpr unsigned kConstructBits = 24;
  return (region << kConstructBits) + construct;
}

// The turn of `node` in the n-th construct of a region, on a sequencer that lasts the whole job:
// every turn's value is above that of all turns before it.
inline std::uint64_t turn_of(std::uint64_t region, std::uint64_t construct, unsigned node,
                             unsigned nodes) {
  constexpr unsigned kTurnBits = 36;
  return (region << kTurnBits) + construct * nodes + node;
}

}  // namespace weft::openmp
