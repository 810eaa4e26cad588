// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

#include "base/codec.hpp"
#include "base/ids.hpp"

namespace weft {

// How often, at the end of an epoch, one node had pages for another that a message of the barrier
// can carry: of those that it alone wrote, and of those that both wrote.
struct Link {
  NodeId from, to;
  std::uint32_t sent = 0, shared = 0;
  WEFT_FIELDS(self.from, self.to, self.sent, self.shared)
};

}  // namespace weft
