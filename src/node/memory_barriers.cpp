// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// membarrier(2), by which a thread has all others of its process pass a memory barrier. The kernel
// reaches the processors of one host, and registers one process. So where the program has several
// nodes, no command is supported: it asks (MEMBARRIER_CMD_QUERY), and falls back on a full barrier
// in each thread, as userspace-rcu does. Weft itself uses the call as the kernel has it.
//
// Rejected: to flush and acquire on each node for each call. That is a message to each node and
// back, and what threads without a fence of their own have in flight would need a rule, too.
#include "node/memory_barriers.hpp"

#include <linux/membarrier.h>

#include <cerrno>

#include "runtime/interface/node.hpp"
#include "runtime/interface/spreading.hpp"

namespace weft {

bool membarrier_of_job(int command, long& result) {
  const Node* const node = this_node();
  if (node == nullptr || nodes_of_program(node->node_count()) == 1) return false;
  result = 0;
  if (command == MEMBARRIER_CMD_QUERY) return true;
  errno = EINVAL;
  result = -1;
  return true;
}

}  // namespace weft
