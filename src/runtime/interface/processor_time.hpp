// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>

#include "runtime/interface/thread_usage.hpp"
#include "stacks/stacks.hpp"

namespace weft {

// What the calling thread has had of a processor on this node, in Weft as well. A system call, so
// only where it is needed.
inline std::int64_t processor_ns() {
  return on_runtime_stack([] {
    timespec time = {};
    ::syscall(SYS_clock_gettime, CLOCK_THREAD_CPUTIME_ID, &time);
    return thread_usage::in_nanoseconds(time);
  });
}

}  // namespace weft
