// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the rhythm in which a node asks for a page (rhythm.hpp; protocol/pushing.md, 14).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.hpp"
#include "protocol/messages/rhythm.hpp"

namespace weft {

// How often each phase has begun. Every node counts the same, since all turn all epochs.
class Beginnings {
 public:
  [[nodiscard]] std::uint32_t present(PhaseKey phase) const {
    const auto place = counts_.find(phase);
    return place == counts_.end() ? 0 : place->second;
  }
  // Until it is counted, the one that is under way at the turn of an epoch.
  [[nodiscard]] std::uint32_t next(PhaseKey phase) const { return present(phase) + 1; }
  void count(PhaseKey phase) { ++counts_[phase]; }

 private:
  std::map<PhaseKey, std::uint32_t> counts_;
};

// Finds the rhythm of one node's requests for a page.
class RhythmFinder {
 public:
  // The page was asked for in this beginning of the phase. Returns the rhythm if this many times
  // in a row as many beginnings went by from one request to the next, and more than one.
  std::optional<Rhythm> asked(std::uint32_t beginning, std::uint32_t times);

 private:
  std::uint32_t last_ = 0, gap_ = 0;
  std::uint32_t alike_ = 0;
};

}  // namespace weft
