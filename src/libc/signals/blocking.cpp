// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "libc/signals/blocking.hpp"

#include <csignal>

#include "base/threads/own_signals.hpp"
#include "libc/interposition/interpose.hpp"

namespace weft::libc {

void block_all_signals() {
  const sigset_t all = signals_of_program();
  WEFT_REAL(pthread_sigmask)(SIG_BLOCK, &all, nullptr);
}

}  // namespace weft::libc
