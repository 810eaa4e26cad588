// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the root of the barrier's tree sends its only child its arrival, rather than a departure
// (protocol/crossing.md, 7, "Crossing"). What the child is owed and the root knows only when it has
// the child's notices would be a message more then; so a phase's barrier crosses after it would
// have done without such a message a few times in a row, twice as many for each time that it did
// not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

#include "base/ids.hpp"

namespace weft {

class Crossings {
 public:
  explicit Crossings(std::uint32_t proof) : proof_(proof) {}

  [[nodiscard]] bool may_cross(PhaseKey next) const {
    const auto known = phases_.find(next);
    return known == phases_.end() ? proof_ == 0 : known->second.is_proved();
  }
  // A barrier ended, whichever way it took: `sufficed` if the arrival had, or could have had, all
  // that the child was owed.
  void note(PhaseKey next, bool sufficed) {
    Phase& phase = phases_.try_emplace(next, Phase{0, proof_}).first->second;
    if (!sufficed) {
      if (phase.is_proved()) phase.proof = std::clamp(2 * phase.proof, 1U, kMostProof);
      phase.in_a_row = 0;
    } else if (!phase.is_proved()) {
      ++phase.in_a_row;
    }
  }

 private:
  static constexpr std::uint32_t kMostProof = 1 << 16;

  struct Phase {
    std::uint32_t in_a_row = 0, proof = 0;
    [[nodiscard]] bool is_proved() const { return in_a_row >= proof; }
  };

  std::uint32_t proof_;
  std::map<PhaseKey, Phase> phases_;
};

}  // namespace weft
