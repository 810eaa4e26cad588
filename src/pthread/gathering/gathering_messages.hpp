// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Between node 0, which chooses, and the nodes.
#pragma once

#include <cstdint>

#include "base/codec.hpp"

namespace weft::pthread {

struct GatheringMessage {
  enum class What : std::uint8_t {
    kLoses,     // to node 0: a thread loses time
    kAsks,      // from it: what have your threads done since I asked last?
    kTells,     // the answer
    kTogether,  // from node 0: threads come to me, and begin here
    kApart,     // from it: they go back, and begin anywhere
  };
  using enum What;

  What what = kLoses;
  std::int64_t computed = 0, lost = 0;  // of kTells, in nanoseconds
  // Of kTogether and kApart, the how manyeth decision it is. Threads of node 0 may send two of them
  // in the other order; the last one counts.
  std::uint64_t decision = 0;
  WEFT_FIELDS(self.what, self.computed, self.lost, self.decision)
};

}  // namespace weft::pthread
