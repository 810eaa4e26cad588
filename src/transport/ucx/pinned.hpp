// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For benchmarks of two threads: each on a processor of its own, as long as there are two. Left
// alone, the scheduler puts them on one now and then, and a time slice is measured.
#pragma once

#include <sched.h>

namespace weft {

class Pinned {
 public:
  // The calling thread stays on the `index`-th processor that it may use, until this goes.
  explicit Pinned(int index) {
    if (sched_getaffinity(0, sizeof before_, &before_) != 0) return;
    for (int processor = 0; processor < CPU_SETSIZE; ++processor) {
      if (!CPU_ISSET(processor, &before_) || index-- != 0) continue;
      cpu_set_t one;
      CPU_ZERO(&one);
      CPU_SET(processor, &one);
      pinned_ = sched_setaffinity(0, sizeof one, &one) == 0;
    }
  }
  ~Pinned() {
    if (pinned_) sched_setaffinity(0, sizeof before_, &before_);
  }
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;

 private:
  cpu_set_t before_ = {};
  bool pinned_ = false;
};

}  // namespace weft
