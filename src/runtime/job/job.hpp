// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process as a node of a job: put together at take-over, and there until the process ends.
#pragma once

#include <cstddef>

#include "libc/interposition/hooks.hpp"
#include "runtime/addresses/maps_layout.hpp"
#include "runtime/interface/node.hpp"

namespace weft {

// Puts the shared region of the job that the environment names under the program. False if there is
// no job, or one of a single node. What stands in the way ends the process with a sentence.
[[nodiscard]] bool begin_job();
// Then, on the thread that is to run the program: meets the other nodes and starts to answer.
void join_job();

// The program has ended on this node. Node 0 tells the others, which end when they are done with
// what they do; `at_once` if they never will be, since this thread is one that they wait for.
void leave_job(int status, bool at_once);

// Where the program's maps are.
[[nodiscard]] const MapsLayout& maps_layout();
// Calls it before each fork of the program, on its runtime stack; it may end the job. Before the
// program runs.
void add_before_fork(void (*action)());
// Calls it before and after each of them, on the program's stack.
void set_fork_handlers(void (*run)(libc::ForkStage stage));

// On another node than the first: node 0 has told that the program is over.
[[nodiscard]] bool follows_node_0();

struct StackSlot {
  std::byte* bottom;
  std::byte* top;
};
// The stack that main runs on.
[[nodiscard]] StackSlot main_stack_slot();

}  // namespace weft
