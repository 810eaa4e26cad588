// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/signals/blocking.hpp"

#include <csignal>

#include "libc/interposition/interpose.hpp"

namespace weft::libc {

void block_all_signals() {
  sigset_t all;
  sigfillset(&all);
  for (const int number : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP}) {
    sigdelset(&all, number);
  }
  WEFT_REAL(pthread_sigmask)(SIG_BLOCK, &all, nullptr);
}

}  // namespace weft::libc
