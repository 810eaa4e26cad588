// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The processors that nodes may use, for threads whose attributes name some
// (pthread_attr_setaffinity_np): they are numbers of the maker's host, and the thread starts at a
// node there that may use one of them.
#pragma once

#include <sched.h>

#include <string>
#include <vector>

#include "base/codec.hpp"
#include "runtime/interface/node.hpp"

namespace weft::pthread {

// What a node tells of itself.
struct NodeProcessors {
  std::string host;  // the kernel's own name of its present run
  Bytes set;         // a cpu_set_t
  WEFT_FIELDS(self.host, self.set)
};

// Once, on each node, by its main thread.
void note_processors_of_node();
[[nodiscard]] const NodeProcessors& processors_of_node();

// The nodes of this host that may use one of these processors. Asks the others when it is called
// first, and waits. On the runtime stack.
[[nodiscard]] std::vector<NodeId> nodes_with_one_of(const cpu_set_t& wanted);

[[nodiscard]] cpu_set_t set_of(ByteView bytes);

// The program has bound the calling thread to processors of this host. Asks the kernel.
[[nodiscard]] bool is_bound_by_program();
// The calling thread may run on all processors that the job has, if they are this host's and the
// program has not bound it.
void use_processors_of_job();

}  // namespace weft::pthread
