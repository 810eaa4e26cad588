// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/job_processors.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "runtime/interface/node.hpp"
#include "runtime/interface/thread_spreading.hpp"
#include "stacks/stacks.hpp"

namespace weft {

cpu_set_t processors_of(pid_t process) {
  return on_runtime_stack([=] {
    cpu_set_t set;
    CPU_ZERO(&set);
    (void)syscall(SYS_sched_getaffinity, process, sizeof set, &set);
    return set;
  });
}

cpu_set_t processors_of_job_here() {
  return processors_of(static_cast<pid_t>(syscall(SYS_getppid)));
}

void let_run_on(const cpu_set_t& processors) {
  on_runtime_stack([&] {
    const cpu_set_t copy = processors;
    (void)syscall(SYS_sched_setaffinity, 0, sizeof copy, &copy);
  });
}

int processors_told() {
  const Node* const node = this_node();
  if (node == nullptr || !threads_start_anywhere) return 0;
  return static_cast<int>(node->node_count() * node->threads_per_node());
}

bool has_processors_told(const cpu_set_t* set, std::size_t bytes) {
  const int told = processors_told();
  for (int processor = 0; processor < told; ++processor) {
    if (CPU_ISSET_S(static_cast<std::size_t>(processor), bytes, set)) return true;
  }
  return false;
}

bool user_places_threads() {
  constexpr std::array kNames = {"OMP_PROC_BIND", "OMP_PLACES", "KMP_AFFINITY",
                                 "GOMP_CPU_AFFINITY"};
  return std::ranges::any_of(kNames, [](const char* name) { return std::getenv(name) != nullptr; });
}

}  // namespace weft
