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
#include <set>
#include <vector>

namespace weft {
namespace {

std::set<pid_t>& spared() {
  static std::set<pid_t> all;
  return all;
}

// Of this process, those that have ended too; none that are spared. None on a kernel that does not
// tell.
std::vector<pid_t> children() {
  std::ifstream file(fmt::format("/proc/self/task/{}/children", getpid()));
  std::vector<pid_t> all;
  for (pid_t child = 0; file >> child;) {
    if (!spared().contains(child)) all.push_back(child);
  }
  return all;
}

}  // namespace

void spare_child(pid_t child) { spared().insert(child); }

void spare_no_longer(pid_t child) { spared().erase(child); }

void adopt_descendants() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void kill_descendants() {
  for (std::vector<pid_t> all = children(); !all.empty(); all = children()) {
    for (const pid_t each : all) kill(each, SIGKILL);
    for (const pid_t each : all) {
      while (waitpid(each, nullptr, 0) < 0 && errno == EINTR) {
      }
    }
  }
}

}  // namespace weft
