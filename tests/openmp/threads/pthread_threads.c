// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads made with pthread_create and thrd_create by threads of all nodes: results, pthread_exit,
// cancellation, keys with destructors, detached threads, signals, and ids that differ.

#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdint.h>
#include <threads.h>
#include <unistd.h>

#include "../check.h"

static pthread_key_t key;
static int destroyed, cleaned;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void count(void* counter) {
  pthread_mutex_lock(&lock);
  ++*(int*)counter;
  pthread_mutex_unlock(&lock);
}

static void leave(int depth, void* result) {
  volatile char here[200];
  here[0] = 1;
  if (depth == 0) pthread_exit(result);
  leave(depth - 1, result);
}

// Another node's thread reads what is on this thread's stack.
static int* volatile published[64];
static sem_t seen[64], made[64];

static void* work(void* argument) {
  const intptr_t number = (intptr_t)argument;
  int cells[50];
  for (int i = 0; i < 50; ++i) cells[i] = (int)number * 100 + i;
  pthread_setspecific(key, &destroyed);
  published[number] = cells;
  sem_post(&made[number]);
  sem_wait(&seen[number]);
  EXPECT(cells[49] == -1, "Nobody wrote to the stack: %d.", cells[49]);
  pthread_cleanup_push(count, &cleaned);
  leave(5, (void*)(number + 1000));
  pthread_cleanup_pop(0);
  return NULL;
}

static void* wait_for_ever(void* argument) {
  pthread_cleanup_push(count, &cleaned);
  sem_post(argument);
  for (;;) pause();
  pthread_cleanup_pop(0);
  return NULL;
}

static void* post(void* semaphore) {
  sem_post(semaphore);
  return NULL;
}

static int twice(void* number) { return 2 * *(int*)number; }

static _Thread_local volatile sig_atomic_t caught;
static void on_signal(int number) { caught = number; }

static void* be_signalled(void* argument) {
  sem_post(argument);
  while (!caught) sched_yield();
  return (void*)(intptr_t)caught;
}

static void threads_of_a_region(void) {
  const int all = omp_get_max_threads();
  destroyed = cleaned = 0;
#pragma omp parallel
  {
    const int me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, work, (void*)(intptr_t)me) == 0, "pthread_create");
    sem_wait(&made[next]);
    for (int i = 0; i < 50; ++i)
      EXPECT(published[next][i] == next * 100 + i, "Cell %d is %d.", i, published[next][i]);
    published[next][49] = -1;
    sem_post(&seen[next]);
    void* result;
    EXPECT(pthread_join(thread, &result) == 0, "pthread_join");
    EXPECT((intptr_t)result == me + 1000, "The result is %ld.", (long)(intptr_t)result);
  }
  EXPECT(destroyed == all && cleaned == all, "%d and %d of %d were cleaned up.", destroyed, cleaned,
         all);
}

static void other_ends(void) {
  cleaned = 0;
  static sem_t ready[64];
  for (int t = 0; t < omp_get_max_threads(); ++t) sem_init(&ready[t], 0, 0);
#pragma omp parallel
  {
    sem_t* mine = &ready[omp_get_thread_num()];
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_ever, mine);
    sem_wait(mine);
    void* result;
    EXPECT(pthread_cancel(thread) == 0, "pthread_cancel");
    EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED, "pthread_join");

    pthread_create(&thread, NULL, post, mine);
    EXPECT(pthread_detach(thread) == 0, "pthread_detach");
    sem_wait(mine);

    thrd_t c11;
    int number = omp_get_thread_num(), doubled = 0;
    EXPECT(thrd_create(&c11, twice, &number) == thrd_success, "thrd_create");
    EXPECT(thrd_join(c11, &doubled) == thrd_success && doubled == 2 * number, "thrd_join: %d",
           doubled);

    signal(SIGUSR1, on_signal);
    pthread_create(&thread, NULL, be_signalled, mine);
    sem_wait(mine);
    EXPECT(pthread_kill(thread, SIGUSR1) == 0, "pthread_kill");
    pthread_join(thread, &result);
    EXPECT((intptr_t)result == SIGUSR1, "The signal was %ld.", (long)(intptr_t)result);
  }
  EXPECT(cleaned == omp_get_max_threads(), "%d were cleaned up.", cleaned);
}

static void* ten_times(void* number) { return (void*)((intptr_t)number * 10); }

// By other threads than their makers, for as long as it takes.
static void joined_by_others(void) {
  pthread_t of[64];
#pragma omp parallel
  {
    const intptr_t me = omp_get_thread_num(), next = (me + 1) % omp_get_num_threads();
    pthread_create(&of[me], NULL, ten_times, (void*)me);
#pragma omp barrier
    void* result = NULL;
    const int error = me % 2 == 0 ? pthread_timedjoin_np(of[next], &result, NULL)
                                  : pthread_clockjoin_np(of[next], &result, CLOCK_MONOTONIC, NULL);
    EXPECT(error == 0 && (intptr_t)result == next * 10, "joined: %d, %ld", error,
           (long)(intptr_t)result);
  }
}

static void ids(void) {
  pthread_t of[64];
#pragma omp parallel
  of[omp_get_thread_num()] = pthread_self();
  for (int a = 0; a < omp_get_max_threads(); ++a)
    for (int b = 0; b < a; ++b) EXPECT(!pthread_equal(of[a], of[b]), "%d and %d are one.", a, b);
  EXPECT(pthread_equal(of[0], pthread_self()), "The main thread is another.");
}

int main(void) {
  pthread_key_create(&key, count);
  for (int t = 0; t < 64; ++t) {
    sem_init(&made[t], 0, 0);
    sem_init(&seen[t], 0, 0);
  }
  threads_of_a_region();
  threads_of_a_region();
  other_ends();
  joined_by_others();
  ids();
  return ok();
}
