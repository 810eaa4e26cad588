// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A call that is delegated to another node, and its answer, as they travel (delegation.hpp).
#pragma once

#include <atomic>
#include <cstdint>

#include "base/codec.hpp"
#include "runtime/services/delegation.hpp"

namespace weft {

// On the asker's stack. Its address comes back with the answer.
struct DelegationWaiter {
  std::atomic<std::uint32_t> done{0};
  Bytes answer;
};

struct DelegatedCall {
  Delegated what = {};
  DelegationWaiter* waiter = nullptr;  // of the asker
  Bytes call;
  WEFT_FIELDS(self.what, self.waiter, rest(self.call))
};

struct DelegatedAnswer {
  DelegationWaiter* waiter = nullptr;
  Bytes bytes;
  WEFT_FIELDS(self.waiter, rest(self.bytes))
};

}  // namespace weft
