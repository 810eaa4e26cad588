// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the nodes bring to one barrier of the simulated program.
#pragma once

#include <cstdint>
#include <vector>

#include "base/numbers/random.hpp"

namespace weft::sim {

struct BarrierPlan {
  // What goes up the tree: nothing; bytes alone; or bytes with what the sender wrote, so that the
  // receiver may read that before the barrier ends.
  enum class Kind : std::uint8_t { kPlain, kBytes, kMemory } kind;
  std::vector<std::uint8_t> votes;  // [node]
  std::uint8_t all_votes = 0;
  // Barriers before this one, at which nodes have nothing to tell, mostly: whether they bring the
  // votes, and bytes.
  unsigned extra = 0;
  bool extra_votes = false, extra_bytes = false;

  BarrierPlan(Random& random, unsigned nodes) : kind(static_cast<Kind>(random.below(3))) {
    for (unsigned node = 0; node < nodes; ++node) {
      const bool votes_yes = random.chance(100 / nodes);
      votes.push_back(votes_yes ? static_cast<std::uint8_t>(1U << random.below(8)) : 0);
      all_votes |= votes.back();
    }
  }
};

}  // namespace weft::sim
