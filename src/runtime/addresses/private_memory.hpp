// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stays private to a node lies where no other node has anything: the heap of the C library,
// what libraries map, and the threads' own stacks with their thread-local variables. So an address
// of one node's private memory that comes to another is a fault there, and a sentence; never other
// bytes.
//
//   0x7fff'........  the libraries: equal on all nodes
//                    the runtime's view of the shared region
//   0x7000'0000'0000 window of node 0, downwards
//   ...              window of node 1, downwards, and so on
//
// The kernel is left no other choice than the window: each node fills all gaps before its own. Not
// moved: the libraries (their functions and tables are passed around), and what the C library's
// heap had given out before there was a node.
#pragma once

#include <optional>
#include <string>

#include "runtime/interface/node.hpp"

namespace weft {

// From now on, what the process maps lies in its window. Where the kernel goes upwards, or address
// space is limited, nothing changes.
void confine_private_memory(NodeId self, unsigned node_count);

// The node in whose window the address is.
[[nodiscard]] std::optional<NodeId> owner_of_private_memory(const void* address);

// The calling thread may run program code from now on: remembers where its stack and thread-local
// variables are. A thread without a program stack has the program's local variables there, too.
void note_thread_memory(bool has_program_stack = true);

// Tells other nodes what lies at an address of this one.
void serve_private_memory(Node& node);

// The program, at `code`, has touched this address and cannot: a sentence if the memory is another
// node's, else nothing. Asks that node.
[[nodiscard]] std::string explain_private_access(Node& node, const void* address, const void* code);

}  // namespace weft
