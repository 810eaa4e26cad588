// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's signal handlers in a node. They run when no lock of the node is held by the thread,
// since they may touch any page: whoever takes the node's lock holds signals back (SignalsHeld),
// and what comes meanwhile is delivered when it has given the lock up.
#pragma once

#include <csignal>

namespace weft::libc {

inline constinit thread_local int signals_held = 0;
inline constinit thread_local volatile bool signals_waiting = false;

// Sends the calling thread what it has held back.
void deliver_held_signals();

inline void hold_signals() { ++signals_held; }
inline void release_signals() {
  if (--signals_held == 0 && signals_waiting) deliver_held_signals();
}

// Blocks all signals that can be for the calling thread, for good: one of Weft's own.
void block_all_signals();

}  // namespace weft::libc
