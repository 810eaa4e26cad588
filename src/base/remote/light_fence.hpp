// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A fence between two threads of which one does its part millions of times as often as the other:
// the frequent side keeps the compiler in order and no more, and the rare side has the system do a
// fence on all processors on which processes run that have agreed to it (membarrier(2)).
#pragma once

#include <linux/membarrier.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

namespace weft::remote {

// This process agrees, once. False: this system has no such fences.
[[nodiscard]] inline bool agree_to_light_fences() {
  static const bool agrees =
      syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_GLOBAL_EXPEDITED, 0, 0) == 0;
  return agrees;
}

inline void light_fence() { std::atomic_signal_fence(std::memory_order_seq_cst); }
inline void heavy_fence() { syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL_EXPEDITED, 0, 0); }

}  // namespace weft::remote
