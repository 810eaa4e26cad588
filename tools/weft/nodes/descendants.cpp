// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/descendants.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>

namespace weft {

void adopt_descendants() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void kill_descendants() {
  while (true) {
    const pid_t reaped = waitpid(-1, nullptr, WNOHANG);
    if (reaped > 0) continue;
    if (reaped < 0 && errno != EINTR) return;
    std::ifstream children(fmt::format("/proc/self/task/{}/children", getpid()));
    pid_t child = 0;
    bool any = false;
    while (children >> child) {
      kill(child, SIGKILL);
      any = true;
    }
    if (!any) return;  // a kernel without that file
    waitpid(-1, nullptr, 0);
  }
}

}  // namespace weft
