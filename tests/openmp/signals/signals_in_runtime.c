// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Signal handlers that use shared memory, whatever the thread that they interrupt does in the
// runtime: it waits in a barrier, makes or takes tasks, asks for iterations, allocates, waits for a
// lock. Handlers do C11 atomic operations on pages that other nodes write, store to volatile flags
// and write to memory of their thread's own. Two sources: a timer of each process, and a thread
// beside each of the team that sends the next signal when the one before has been taken.

#include <omp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/time.h>

#include "../check.h"

enum { kRounds = 12, kSignals = 40, kIterations = 12, kSlots = 64 };
static atomic_long taken, exchanged, last, ticks;
static atomic_int compared;
static long counts[kSlots];  // of neighbours in one page, each written by its thread's handlers
static volatile int flags[kSlots];
static omp_lock_t lock;

struct Sender {
  pthread_t target, self;
  atomic_int answered;
};
// The calling thread's.
static _Thread_local struct Sender* my_sender;
static _Thread_local int my_slot;

static void on_sent(int number) {
  (void)number;
  const long now = atomic_fetch_add(&taken, 1);
  // Results that are needed at once, and one that is not.
  if (atomic_exchange(&last, now + 1) >= 0) {
    atomic_fetch_add_explicit(&exchanged, 1, memory_order_relaxed);
  }
  int expected = atomic_load(&compared);
  while (!atomic_compare_exchange_weak(&compared, &expected, expected + 1)) {
  }
  counts[my_slot] += 1;
  flags[my_slot] = 1;
  atomic_fetch_add(&my_sender->answered, 1);
}

static void on_timer(int number) {
  (void)number;
  atomic_fetch_add(&ticks, 1);
}

static void* send(void* argument) {
  struct Sender* const sender = argument;
  for (int i = 0; i < kSignals; ++i) {
    if (pthread_kill(sender->target, SIGUSR1) != 0) break;
    while (atomic_load(&sender->answered) <= i) sched_yield();
  }
  return NULL;
}

static void handle(int number, void (*handler)(int)) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  action.sa_flags = SA_RESTART;
  EXPECT(sigaction(number, &action, NULL) == 0, "No handler.");
}

// Once: a handler that takes long must not be followed by the next at once.
static void set_timer(int microseconds) {
  const struct itimerval once = {{0, 0}, {0, microseconds}};
  EXPECT(setitimer(ITIMER_REAL, &once, NULL) == 0, "No timer.");
}

static long loops(void) {
  long sum = 0;
#pragma omp for schedule(static)
  for (int i = 0; i < kIterations; ++i) sum += 1;
#pragma omp for schedule(dynamic, 1)
  for (int i = 0; i < kIterations; ++i) sum += 1;
#pragma omp for schedule(guided) nowait
  for (int i = 0; i < kIterations; ++i) sum += 1;
#pragma omp for schedule(monotonic : dynamic, 2)
  for (int i = 0; i < kIterations; ++i) sum += 1;
#pragma omp for ordered schedule(dynamic, 4)
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
    sum += 1;
  }
  return sum;
}

static void tasks(void) {
#pragma omp single nowait
  for (int i = 0; i < 8; ++i) {
#pragma omp task
    {
      void* const inner = malloc(64);
      memset(inner, 1, 64);
      free(inner);
    }
  }
#pragma omp taskwait
#pragma omp barrier
}

static long work(int round) {
  char* const block = malloc(100 + (size_t)round);
  block[0] = 1;
  long sum = loops();
  tasks();
#pragma omp critical
  sum += block[0];
  omp_set_lock(&lock);
  sum += block[0];
  omp_unset_lock(&lock);
#pragma omp barrier
  free(block);
  return sum;
}

int main(void) {
  const int threads = omp_get_max_threads() < kSlots ? omp_get_max_threads() : kSlots;
  long sum = 0;
  omp_init_lock(&lock);
#pragma omp parallel num_threads(threads) reduction(+ : sum)
  {
    struct Sender sender;
    sender.target = pthread_self();
    atomic_init(&sender.answered, 0);
    my_sender = &sender;
    my_slot = omp_get_thread_num();
    handle(SIGUSR1, on_sent);
    handle(SIGALRM, on_timer);
    EXPECT(pthread_create(&sender.self, NULL, send, &sender) == 0, "No sender.");
    for (int round = 0; round < kRounds; ++round) {
      set_timer(500);
      sum += work(round);
    }
    pthread_join(sender.self, NULL);
    set_timer(0);
    EXPECT(counts[my_slot] == kSignals && flags[my_slot] == 1, "%ld of the signals, flag %d.",
           counts[my_slot], flags[my_slot]);
  }
  omp_destroy_lock(&lock);
  EXPECT(sum == (5L * kIterations + 2L * threads) * kRounds, "The sum is %ld.", sum);
  EXPECT(taken == (long)threads * kSignals && exchanged == taken && compared == taken,
         "%ld signals, %ld exchanges, %d comparisons.", taken, exchanged, compared);
  for (int t = 0; t < threads; ++t) {
    EXPECT(counts[t] == kSignals && flags[t] == 1, "Thread %d: %ld, %d.", t, counts[t], flags[t]);
  }
  return ok();
}
