// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// This process as a node of a job: put together at take-over, and there until the process ends.
#pragma once

#include <cstddef>

#include "runtime/node.hpp"

namespace weft {

// Joins the job that the environment names: meets the other nodes, puts the shared region under the
// program and starts to answer. False if there is no job, or one of a single node. What stands in
// the way ends the process with a sentence.
[[nodiscard]] bool join_job();

// The program has ended on this node. Node 0 tells the others, which end when they are done with
// what they do; `at_once` if they never will be, since this thread is one that they wait for.
void leave_job(int status, bool at_once);

// Calls it before each fork of the program, on its runtime stack. Before the program runs.
void add_before_fork(void (*action)());

struct StackSlot {
  std::byte* bottom;
  std::byte* top;
};
// The stack that main runs on.
[[nodiscard]] StackSlot main_stack_slot();

}  // namespace weft
