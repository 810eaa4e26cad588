// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// Signals as in one process: handlers of the program's own for faults too, timers, alternate
// stacks, and jumps out of handlers and inside regions.

#include <omp.h>
#include <setjmp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include "../check.h"

static volatile sig_atomic_t caught, last;
static volatile long in_shared_memory;

static void count(int number) {
  last = number;
  caught = caught + 1;
  in_shared_memory = in_shared_memory + 1;
}

static void plain_signals(void) {
  signal(SIGUSR1, count);
  struct sigaction action = {.sa_handler = count}, old;
  EXPECT(sigaction(SIGUSR2, &action, &old) == 0, "sigaction");
  EXPECT(old.sa_handler == SIG_DFL, "There was a handler before.");
  raise(SIGUSR1);
  EXPECT(caught == 1 && last == SIGUSR1, "%d signals, the last %d", caught, last);
  kill(getpid(), SIGUSR2);
  EXPECT(caught == 2 && last == SIGUSR2, "%d signals, the last %d", caught, last);
  sigset_t set, pending;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigprocmask(SIG_BLOCK, &set, NULL);
  raise(SIGUSR1);
  sigpending(&pending);
  EXPECT(caught == 2 && sigismember(&pending, SIGUSR1), "A blocked signal was not kept.");
  sigprocmask(SIG_UNBLOCK, &set, NULL);
  EXPECT(caught == 3 && in_shared_memory == 3, "%d signals, %ld", caught, in_shared_memory);
}

// A timer interrupts threads that work on shared memory.
static void timers(void) {
  caught = 0;
  signal(SIGALRM, count);
  const struct itimerval every = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
  setitimer(ITIMER_REAL, &every, NULL);
  static double cells[20000];
  for (int round = 0; caught < 10; ++round) {
#pragma omp parallel for
    for (int i = 0; i < 20000; ++i) cells[i] += i;
    for (int i = 0; i < 20000; i += 997)
      EXPECT(cells[i] == (double)i * (round + 1), "Cell %d is %g in round %d.", i, cells[i], round);
  }
  setitimer(ITIMER_REAL, &never, NULL);
  caught = 0;
  alarm(1);
  alarm(0);
  EXPECT(caught == 0, "An alarm that was put off came.");
}

static sigjmp_buf back;
static void* volatile fault_at;

static void on_fault(int number, siginfo_t* info, void* context) {
  last = number;
  fault_at = info->si_addr;
  siglongjmp(back, 1);
}

static void faults(void) {
  struct sigaction action, old;
  memset(&action, 0, sizeof action);
  action.sa_sigaction = on_fault;
  action.sa_flags = SA_SIGINFO;
  EXPECT(sigaction(SIGSEGV, &action, &old) == 0, "sigaction");
  EXPECT(old.sa_handler == SIG_DFL, "There seems to have been a handler for SIGSEGV.");
  sigaction(SIGBUS, &action, NULL);
  struct sigaction now;
  sigaction(SIGSEGV, NULL, &now);
  EXPECT(now.sa_sigaction == on_fault, "The handler for SIGSEGV is another.");
  char* none = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  for (int i = 0; i < 3; ++i) {
    if (sigsetjmp(back, 1) == 0) {
      none[i] = 1;
      EXPECT(0, "Writing to protected memory went well.");
    }
    EXPECT(last == SIGSEGV && fault_at == none + i, "Signal %d at %p", last, fault_at);
  }
  // Shared memory still comes and goes as it should.
  static int cells[5000];
#pragma omp parallel for
  for (int i = 0; i < 5000; ++i) cells[i] = i;
  for (int i = 0; i < 5000; ++i) EXPECT(cells[i] == i, "Cell %d is %d.", i, cells[i]);
  if (sigsetjmp(back, 1) == 0) {
    *(volatile int*)0 = 1;
    EXPECT(0, "Writing to 0 went well.");
  }
  EXPECT(fault_at == NULL, "The fault was at %p.", fault_at);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGBUS, SIG_DFL);
}

static void deep(jmp_buf jump, int depth) {
  volatile char here[300];
  here[depth % 300] = 1;
  if (depth == 0) longjmp(jump, 5);
  deep(jump, depth - 1);
}

static void jumps(void) {
#pragma omp parallel
  for (int round = 0; round < 5; ++round) {
    jmp_buf jump;
    volatile int before = round;
    const int value = setjmp(jump);
    if (value == 0) {
#pragma omp critical
      before = before + 1;
      deep(jump, 20);
    }
    EXPECT(value == 5 && before == round + 1, "setjmp gave %d, and the variable is %d.", value,
           before);
  }
}

// Handlers run on each node for signals that its threads send themselves.
static void in_regions(void) {
  caught = 0;
  int signals = 0;
#pragma omp parallel reduction(+ : signals)
  {
    signal(SIGUSR1, count);
#pragma omp barrier
#pragma omp critical
    raise(SIGUSR1);
    signals += 1;
  }
  EXPECT(caught == signals, "%d of %d signals came.", caught, signals);
}

int main(void) {
  plain_signals();
  timers();
  faults();
  jumps();
  in_regions();
  return ok();
}
