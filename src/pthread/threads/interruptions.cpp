// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/threads/interruptions.hpp"

#include <pthread.h>
#include <signal.h>

#include "libc/interposition/interpose.hpp"
#include "pthread/threads/birth.hpp"

namespace weft::pthread {

Interruptions seclude() {
  Interruptions before;
  sigset_t all, blocked;
  sigfillset(&all);
  for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) sigdelset(&all, fault);
  WEFT_REAL(pthread_sigmask)(SIG_SETMASK, &all, &blocked);
  before.blocked = bits_of(blocked);
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before.cancel_state);
  pthread_setcanceltype(PTHREAD_CANCEL_DEFERRED, &before.cancel_type);
  return before;
}

void let_in(const Interruptions& interruptions) {
  int unused = 0;
  const sigset_t blocked = signals_in(interruptions.blocked);
  WEFT_REAL(pthread_sigmask)(SIG_SETMASK, &blocked, nullptr);
  pthread_setcanceltype(interruptions.cancel_type, &unused);
  pthread_setcancelstate(interruptions.cancel_state, &unused);
}

}  // namespace weft::pthread
