// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads of different nodes have different ids. The C library's pthread_t is an address, and the
// same on many nodes, as they are laid out alike; programs compare ids and put them into tables. So
// the number of the node is added in bits that no address has (node 0's ids are what they were),
// and taken away again in each function that is handed one. A thread that moves keeps the id of its
// home: the address is the same on all nodes that it comes to.
#pragma once

#include <pthread.h>

#include "base/ids.hpp"

namespace weft::pthread {

// The id that the program sees of a thread of this node, and of one of that node.
[[nodiscard]] pthread_t tagged(pthread_t id);
[[nodiscard]] pthread_t tagged(pthread_t id, NodeId node);
[[nodiscard]] pthread_t untagged(pthread_t id);
[[nodiscard]] bool is_of_this_node(pthread_t id);
// The calling thread carries threads of another node, by this id.
void call_as_visitor(pthread_t id);

}  // namespace weft::pthread
