// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far a thread stands back for others: see nice(2). On Linux each thread has a niceness of its
// own, and threads and processes inherit it from the thread that starts them.
#pragma once

#include <sys/resource.h>

#include <algorithm>
#include <optional>

namespace weft {

// Of the threads that the calling thread starts by start_own_thread(), if not its own.
inline constinit thread_local std::optional<int> niceness_of_started;

[[nodiscard]] inline int niceness() { return getpriority(PRIO_PROCESS, 0); }

// The calling thread goes before others of the machine, as far as that is permitted: to root, to
// who has CAP_SYS_NICE, and within `ulimit -e`. The threads that it starts do not.
inline void go_first() {
  constexpr int kAhead = 20, kFirst = -20;
  const int before = niceness();
  niceness_of_started = before;
  const int wanted = std::max(before - kAhead, kFirst);
  if (setpriority(PRIO_PROCESS, 0, wanted) == 0) return;
  rlimit limit = {};
  if (getrlimit(RLIMIT_NICE, &limit) != 0) return;
  const int permitted = 20 - static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 40));
  if (permitted < before) (void)setpriority(PRIO_PROCESS, 0, std::max(wanted, permitted));
}

}  // namespace weft
