// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether the barrier at some place of the program may take a short way: arrivals that cross
// (protocol/crossing.md, 7), or a meeting without messages (protocol/empty_barriers.md, 27). Where
// the short way does not suffice, it costs more than the usual one. So it is taken after it would
// have sufficed a few times in a row, twice as many for each time that it did not.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>

namespace weft {

template <typename Key>
class Proofs {
 public:
  explicit Proofs(std::uint32_t proof) : proof_(proof) {}

  [[nodiscard]] bool has(const Key& key) const {
    const auto known = places_.find(key);
    return known == places_.end() ? proof_ == 0 : known->second.is_proved();
  }
  // A barrier ended, whichever way it took: `sufficed` if the short way did, or would have.
  void note(const Key& key, bool sufficed) {
    Place& place = places_.try_emplace(key, Place{0, proof_}).first->second;
    if (!sufficed) {
      if (place.is_proved()) place.proof = std::clamp(2 * place.proof, 1U, kMostProof);
      place.in_a_row = 0;
    } else if (!place.is_proved()) {
      ++place.in_a_row;
    }
  }

 private:
  static constexpr std::uint32_t kMostProof = 1 << 16;

  struct Place {
    std::uint32_t in_a_row = 0, proof = 0;
    [[nodiscard]] bool is_proved() const { return in_a_row >= proof; }
  };

  std::uint32_t proof_;
  std::map<Key, Place> places_;
};

}  // namespace weft
