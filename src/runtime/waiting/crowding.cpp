// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/crowding.hpp"

#include <sched.h>

#include "base/futex.hpp"

namespace weft {

Crowding& crowding() {
  static constinit Crowding seen;
  return seen;
}

void offer_processor() {
  const std::int64_t before = now_ns();
  sched_yield();
  const std::int64_t after = now_ns();
  crowding().note_offer(after - before, after);
}

}  // namespace weft
