// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the sequencers that OpenMP constructs use; those of locks are in base/lock_ids.hpp.
// Kinds never collide: the low bits say which it is.
#pragma once

#include <cstdint>

#include "base/lock_ids.hpp"

namespace weft::openmp {

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
