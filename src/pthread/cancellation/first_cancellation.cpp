// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/cancellation/first_cancellation.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "libc/interposition/interpose.hpp"

namespace weft::pthread {
namespace {

constexpr int kCancelSignal = 32;  // glibc's SIGCANCEL, which it keeps for itself

// As the kernel has it: the C library does not show its own signals.
struct KernelAction {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)();
  unsigned long mask;
};

void* wait_to_be_cancelled(void*) {
  for (;;) pause();
}

void cancel_a_thread() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);  // the program's handlers are not for this thread
  pthread_t thread;
  const int error = WEFT_REAL(pthread_create)(&thread, nullptr, wait_to_be_cancelled, nullptr);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (error != 0) return;
  WEFT_REAL(pthread_cancel)(thread);
  WEFT_REAL(pthread_join)(thread, nullptr);
}

void prepare() {
  cancel_a_thread();
  KernelAction action = {};
  const long known = syscall(SYS_rt_sigaction, kCancelSignal, nullptr, &action, sizeof action.mask);
  if (known != 0 || action.handler == SIG_DFL || action.handler == SIG_IGN) return;
  action.flags |= SA_ONSTACK;
  syscall(SYS_rt_sigaction, kCancelSignal, &action, nullptr, sizeof action.mask);
}

}  // namespace

void prepare_cancellation() { [[maybe_unused]] static const bool is_ready = (prepare(), true); }

}  // namespace weft::pthread
