// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE -fno-optimize-sibling-calls
//
// A stack that overflows is a fault at an address below it, which a handler on a stack of its own
// may catch: on the main thread, and on every thread of a team.

#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "../check.h"

static _Thread_local sigjmp_buf back;
static _Thread_local uintptr_t fault_at;

static void on_fault(int number, siginfo_t* info, void* context) {
  (void)number;
  (void)context;
  fault_at = (uintptr_t)info->si_addr;
  siglongjmp(back, 1);
}

static int descend(volatile char* above) {
  volatile char here[4000];
  here[0] = above[0];
  return descend(here) + here[0];
}

static void overflow(void) {
  char* memory = malloc(1 << 16);
  const stack_t own = {.ss_sp = memory, .ss_size = 1 << 16};
  stack_t old;
  EXPECT(sigaltstack(&own, &old) == 0, "sigaltstack");
  volatile char top = 0;
  if (sigsetjmp(back, 1) == 0) {
    descend(&top);
    EXPECT(0, "The recursion came to an end.");
  }
  EXPECT(fault_at < (uintptr_t)&top, "The fault was at %lx, the stack begins at %p.",
         (unsigned long)fault_at, (void*)&top);
  EXPECT((uintptr_t)&top - fault_at > 100000, "The stack had only %lu bytes.",
         (unsigned long)((uintptr_t)&top - fault_at));
  EXPECT(sigaltstack(&old, NULL) == 0, "sigaltstack");
  free(memory);
}

int main(void) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK;
#pragma omp parallel
  {
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
#pragma omp barrier
    overflow();
  }
  overflow();
  return ok();
}
