// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's end. Node 0 keeps what the program wants done then (atexit, on_exit, destructors of
// static objects, at_quick_exit). exit runs it on the thread that calls it, as POSIX has it: a
// thread of another node takes one handler after another from node 0, the last one first.
//
//   node 0   exit ──► the C library's list: for each handler one call of run_last
//   node k   exit ──► run_all ──► takes from node 0 until nothing is left ──► end_of_program
//
// Rejected: exit on node 0 for the caller. Node 0 may be at rest in a barrier, where nobody may
// write; and a handler would find another thread's thread-local variables.
#pragma once

#include "runtime/interface/node.hpp"

namespace weft::process {

// Has the handler called at the end, of exit or of quick_exit. Returns what atexit does. Any stack.
[[nodiscard]] int at_exit_call(Node& node, void (*handler)(void*), void* argument);

// What quick_exit was called with, for its handlers.
[[nodiscard]] int status_of_quick_exit();

// The node's threads write to their files no more: what the C library still holds is written. What
// a thread is reading or writing just now is left alone, as nobody may wait for it. On the runtime
// stack.
void flush_all_streams();
// The same on all other nodes.
void flush_streams_elsewhere(Node& node);

}  // namespace weft::process
