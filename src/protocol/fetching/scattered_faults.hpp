// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults that are part of no walk (protocol/fetching.md, 6). Where many pages of a leaf are touched
// one by one, in no order, the rest of it is likely to be touched, too: as NVIDIA's unified memory
// fetches what is left of a block of which the most is there. It comes at once, for what a few
// faults more would cost.
#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "base/ids.hpp"

namespace weft {

class ScatteredFaults {
 public:
  explicit ScatteredFaults(std::uint32_t proof) : proof_(proof) {}

  // A thread touched a page of this leaf, which had to be asked for alone. True: so many have been
  // in this epoch that the rest is to come. They are counted anew then.
  bool is_proof(PageIndex leaf, Epoch epoch) {
    if (std::exchange(epoch_, epoch) != epoch) counts_.clear();
    std::uint32_t& count = counts_[leaf];
    if (++count < proof_) return false;
    counts_.erase(leaf);
    return true;
  }

 private:
  const std::uint32_t proof_;
  Epoch epoch_;
  std::map<PageIndex, std::uint32_t> counts_;  // in this epoch
};

}  // namespace weft
