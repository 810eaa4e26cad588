// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The program's signal handlers in a node. They run when the thread has no lock of Weft's, since
// they may touch any page: what comes while it holds signals back (base/held_signals.hpp) is
// delivered when it does so no more.
#pragma once

#include <csignal>

namespace weft::libc {

// Another node has set this action. Does not block.
void adopt_action(int number, const struct sigaction& action);

}  // namespace weft::libc
