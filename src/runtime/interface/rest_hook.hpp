// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Called at places where all nodes come by, in the same order, and where no thread of the team runs
// on this one: behind a barrier, before its threads go on. Does nothing unless somebody has set the
// hook (WEFT_CHECK=protocol).
#pragma once

#include <atomic>

namespace weft {

inline std::atomic<void (*)()> rest_hook{nullptr};

inline void come_to_rest() {
  if (void (*const hook)() = rest_hook.load(std::memory_order_relaxed)) hook();
}

}  // namespace weft
