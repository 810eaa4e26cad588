// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signals and threads that are not the program's: Weft's own, and those of libraries that it uses.
#pragma once

#include <csignal>
#include <initializer_list>

namespace weft {

// What such a thread blocks, as the program's signals are its own threads' business: all but what
// the thread brings about itself.
inline sigset_t signals_of_program() {
  sigset_t all;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP}) sigdelset(&all, fault);
  return all;
}

}  // namespace weft
