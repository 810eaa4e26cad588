// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace weft {

// Gives the calling thread a private stack for signal handlers, once. Threads that run on program
// stacks need it: a fault on the program stack itself must find another to be handled on.
void ensure_signal_stack();

}  // namespace weft
