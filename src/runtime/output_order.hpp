// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a node printed before a barrier must come before what any node prints after it. Each node
// prints into a pipe of its own to the launcher, which writes lines in the order in which it reads
// them; so it is enough that a node's pipes are empty before it enters the barrier.
#pragma once

namespace weft {

// Says which descriptors are pipes to the launcher; once, before settle_output.
void watch_output_pipes();

// Flushes the C library's output and waits until the launcher has read what this node printed.
// One system call for each pipe when nothing was printed. Must not be called under a lock.
void settle_output();

}  // namespace weft
