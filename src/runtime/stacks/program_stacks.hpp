// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program stacks of the layout (addresses/layout.hpp), and how threads get them.
#pragma once

namespace weft {

// Prepares the calling thread, born for OpenMP, to run program code as the node's thread
// `local_thread` (0 up to most_threads_per_node() - 1): it gets that slot's program stack, in place
// of what it had, and a stack for signal handlers. Called on its runtime stack, before each region.
void take_program_stack(unsigned local_thread);

// The same for a thread that the program has made itself: it gets a stack that no other thread has,
// if there is one left, and else goes on without. On its runtime stack; give it back when it ends.
void take_own_program_stack();
void give_back_own_program_stack();

}  // namespace weft
