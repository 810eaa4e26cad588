// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals that may be page faults of the shared region: SIGSEGV where pages are watched with
// mprotect, SIGBUS where userfaultfd is told to raise it. Everything else that arrives here is the
// program's own crash, and must look like it.
#pragma once

#include "runtime/driver.hpp"
#include "runtime/layout.hpp"

namespace weft {

// Installs the handlers. Both outlive the process's last fault.
void handle_fault_signals(Driver& driver, const Layout& layout);

// Gives the calling thread a private stack for signal handlers, once. Threads that run on program
// stacks need it: a fault on the program stack itself must find another to be handled on.
void ensure_signal_stack();

}  // namespace weft
