// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// What is to be done about a signal is set once, on any node, and holds for the threads of all, as
// in one process: handlers, ignoring, faults. Signals come in regions, in barriers, and between
// regions, where they may wait for the next one.

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>

#include "../check.h"

enum { kMost = 64 };

static _Thread_local int me;
static volatile sig_atomic_t first_caught[kMost], second_caught[kMost];
// Neighbours in a page, written by the handlers of their threads, and by threads in turn.
static _Alignas(4096) struct {
  long cells[kMost * 4], turns[kMost * 4];
} page;
static atomic_int in_all;

static void first(int number) {
  (void)number;
  page.cells[me * 4] += 3;  // before anything that waits
  first_caught[me] = first_caught[me] + 1;
  atomic_fetch_add(&in_all, 1);
}

static void second(int number, siginfo_t* info, void* context) {
  (void)context;
  EXPECT(info->si_signo == number, "the signal is %d, its number %d", info->si_signo, number);
  second_caught[me] = second_caught[me] + 1;
}

static int team(void) { return omp_get_max_threads(); }

static void expect_all(const volatile sig_atomic_t* caught, int times) {
  for (int t = 0; t < team(); ++t)
    EXPECT(caught[t] == times, "thread %d caught %d instead of %d", t, (int)caught[t], times);
}

static void number_threads(void) {
#pragma omp parallel
  me = omp_get_thread_num();
}

static void set_by_the_main_thread(void) {
  struct sigaction action, now;
  memset(&action, 0, sizeof action);
  action.sa_handler = first;
  action.sa_flags = SA_RESTART;
  sigaddset(&action.sa_mask, SIGUSR2);
  sigaction(SIGUSR1, &action, NULL);
#pragma omp parallel private(now)
  {
    sigaction(SIGUSR1, NULL, &now);
    EXPECT(now.sa_handler == first && (now.sa_flags & SA_RESTART) != 0, "another handler is there");
    EXPECT(sigismember(&now.sa_mask, SIGUSR2) == 1, "its mask is another");
    raise(SIGUSR1);
    EXPECT(first_caught[me] == 1, "thread %d caught %d", me, (int)first_caught[me]);
  }
  expect_all(first_caught, 1);
  for (int t = 0; t < team(); ++t)
    EXPECT(page.cells[t * 4] == 3, "%ld was written", page.cells[t * 4]);
}

static void set_by_any_thread(void) {
  for (int setter = 0; setter < team(); ++setter) {
#pragma omp parallel
    {
      if (me == setter) {
        struct sigaction action;
        memset(&action, 0, sizeof action);
        action.sa_sigaction = second;
        action.sa_flags = SA_SIGINFO;
        sigaction(SIGUSR2, &action, NULL);
      }
#pragma omp barrier
      raise(SIGUSR2);
#pragma omp barrier
      if (me == setter) signal(SIGUSR2, SIG_IGN);
#pragma omp barrier
      raise(SIGUSR2);
    }
    expect_all(second_caught, setter + 1);
  }
  signal(SIGUSR2, SIG_DFL);
#pragma omp parallel
  EXPECT(signal(SIGUSR2, SIG_DFL) == SIG_DFL, "the action was not taken away");
}

// Threads wait for signals in a region, and get them from the main thread.
static void sent_to_others(void) {
  static pthread_t ids[kMost];
  const int before = first_caught[0];
#pragma omp parallel
  {
    ids[me] = pthread_self();
#pragma omp barrier
    if (me == 0) {
      for (int t = 0; t < team(); ++t) pthread_kill(ids[t], SIGUSR1);
    }
    while (first_caught[me] == before) sched_yield();
  }
  expect_all(first_caught, before + 1);
  // Between regions; and by the end of the next one, all have come.
  for (int t = 0; t < team(); ++t) pthread_kill(ids[t], SIGUSR1);
  number_threads();
  expect_all(first_caught, before + 2);
}

// While they wait for each other. In each round one thread alone writes the page, but for the
// handler of the one that did so before.
static void sent_into_barriers(void) {
  static pthread_t ids[kMost];
  static volatile int arriving[kMost];
  memset(&page, 0, sizeof page);
  const int before = atomic_load(&in_all);
  enum { kRounds = 40 };
#pragma omp parallel
  {
    ids[me] = pthread_self();
#pragma omp barrier
    for (int round = 1; round <= kRounds; ++round) {
      const int turn = round % team(), last = (round - 1) % team();
      if (me == turn) {
        page.turns[me * 4] += 1;
        while (last != turn && arriving[last] != round) sched_yield();
        for (int i = 0; i < 5; ++i) sched_yield();
        pthread_kill(ids[last], SIGUSR1);
      } else if (me == last) {
        arriving[me] = round;
      }
#pragma omp barrier
    }
  }
  number_threads();
  const int handlers = atomic_load(&in_all) - before;
  EXPECT(handlers > 0 && handlers <= kRounds, "%d handlers have run", handlers);
  long written = 0, turns = 0;
  for (int t = 0; t < team(); ++t) written += page.cells[t * 4], turns += page.turns[t * 4];
  EXPECT(written == 3L * handlers, "%ld was written by %d handlers", written, handlers);
  EXPECT(turns == kRounds, "%ld turns", turns);
}

static _Thread_local sigjmp_buf back;
static void on_fault(int number) { siglongjmp(back, number); }

static void faults(void) {
  signal(SIGSEGV, on_fault);
  signal(SIGFPE, on_fault);
  int faults = 0;
#pragma omp parallel reduction(+ : faults)
  for (int round = 0; round < 3; ++round) {
    if (sigsetjmp(back, 1) == 0) {
      *(volatile int*)8 = 1;
      EXPECT(0, "writing to nowhere went well");
    }
    faults = faults + 1;
    const int number = sigsetjmp(back, 1);
    if (number == 0) raise(SIGFPE);
    EXPECT(number == SIGFPE, "signal %d", number);
  }
  EXPECT(faults == 3 * team(), "%d faults", faults);
  signal(SIGSEGV, SIG_DFL);
  signal(SIGFPE, SIG_DFL);
}

int main(void) {
  number_threads();
  set_by_the_main_thread();
  set_by_any_thread();
  sent_to_others();
  sent_into_barriers();
  faults();
  return ok();
}
