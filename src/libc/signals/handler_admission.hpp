// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// When the program's handlers may run on this node. A handler may write shared memory while its
// thread waits in a barrier, and the other nodes must have been told so before
// (Hooks::count_handlers), which makes barriers dearer. Where the program sets a handler, that is
// told at once. Other nodes have the handler too, but most never get a signal: there it is told
// when the first one comes. If the node is at rest then, the signal waits till it is not.
#pragma once

#include "libc/interposition/hooks.hpp"

namespace weft::libc {

// The program has set a handler for this signal here, or taken it away.
void count_handler(const Hooks& node, int number, bool is_there);

// Whether a thread brings this signal upon itself: it comes where the thread computes.
[[nodiscard]] bool is_own_doing(int number);

// Whether a handler for this signal may run now. Not under a lock.
[[nodiscard]] bool may_handle(const Hooks& node, int number);

}  // namespace weft::libc
