// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Faults that come as signals: SIGSEGV from page protections, SIGBUS from userfaultfd. A fault in
// the shared region goes to the runtime; any other is the program's own, and ends as if Weft were
// not there: in the program's handler if it has one, else in the ordinary crash with the same
// signal, address and core.
#pragma once

#include <csignal>

#include "base/result.hpp"
#include "memory/region/region.hpp"

namespace weft {

// Runs in the signal handler of the faulting thread, on its alternate stack if it has one.
// `context` is the ucontext_t. True: the page is there now, try again. False: treat it as the
// program's own.
using SignalFault = bool (*)(ProgramAddress address, bool is_write, void* context);

// Installs handlers for SIGSEGV and SIGBUS (both: an absent page that a system call found, or
// memory that ran out, is a SIGBUS with either back end). The region must outlive them.
Status install_fault_signals(const Region& region, SignalFault on_fault);
// Puts back what was there before.
void remove_fault_signals();

// Called before the program dies of a touch of this address by the instruction at `code`, by
// default; may say why, and end the job. Null: nothing.
using LastWords = void (*)(const void* address, const void* code);
void set_last_words(LastWords last_words);

// What the program wishes for SIGSEGV or SIGBUS, for whoever interposes sigaction; used for faults
// that are not the region's. At first: what was set before install_fault_signals.
[[nodiscard]] struct sigaction program_action(int signal);
void set_program_action(int signal, const struct sigaction& action);

}  // namespace weft
