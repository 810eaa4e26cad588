// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread by which a process has become a node. On node 0 it runs main. It need not be the one
// that the kernel takes for the process's first.
#pragma once

#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "runtime/interface/node.hpp"

namespace weft {

// In the kernel's count. Written once, before the node joins the job.
inline pid_t main_thread_of_node = 0;

// Whether the calling thread is the one that runs main.
[[nodiscard]] inline bool runs_main(const Node& node) {
  return node.self() == NodeId(0) && ::syscall(SYS_gettid) == main_thread_of_node;
}

}  // namespace weft
