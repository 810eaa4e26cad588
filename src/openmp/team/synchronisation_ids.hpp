// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The names of the sequencers that OpenMP constructs use; those of locks are in
// base/locks/lock_ids.hpp. Kinds never collide: the low bits say which it is.
#pragma once

#include <cstdint>

#include "base/locks/lock_ids.hpp"
#include "base/placement.hpp"

namespace weft::openmp {

enum class SequencerKind : std::uint64_t { kOrdered = 1 };
inline constexpr unsigned kSequencerKindBits = 3;

inline SequencerId sequencer_of(SequencerKind kind, std::uint64_t instance) {
  return SequencerId((instance << kSequencerKindBits) | static_cast<std::uint64_t>(kind));
}

// The n-th construct of its kind in a region, for sequencers that serve one construct alone.
inline std::uint64_t instance_of(std::uint64_t region, std::uint64_t construct) {
  constexpr unsigned kConstructBits = 24;
  return (region << kConstructBits) + construct;
}

}  // namespace weft::openmp
