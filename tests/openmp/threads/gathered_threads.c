// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_SPREAD=random
// counted: threads_gathered
//
// Threads that come together on node 0 and go apart again, at random (`weft run --spread`), while
// others begin and end. They keep all that they have, and see all that the others do: by locks, by
// atomic variables at which each waits for its turn, and by what they hand on with those.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "../check.h"

enum { kMost = 64, kGenerations = 2, kRoundsAfter = 20, kNumbers = 300 };

static int threads;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_ends;
static long locked_sum, locked_rounds[kMost];
static _Atomic long turn, relaxed_sum, moves;
static long handed_on;  // by who has the turn
static int is_over;
static _Thread_local long own;

static void take_turn(int number, long round) {
  const long mine = round * threads + number;
  while (atomic_load(&turn) != mine) {
  }
  EXPECT(handed_on == mine, "%ld was handed on, in turn %ld.", handed_on, mine);
  handed_on = mine + 1;
  atomic_store(&turn, mine + 1);
}

static void add_under_lock(int number, long round) {
  pthread_mutex_lock(&lock);
  EXPECT(locked_rounds[number] == round, "Thread %d has seen %ld of %ld rounds.", number,
         locked_rounds[number], round);
  ++locked_rounds[number];
  locked_sum += number;
  pthread_mutex_unlock(&lock);
}

// Threads that live for a moment begin where threads begin by then.
static void* add_own_numbers(void* argument) {
  long sum = 0;
  for (long i = 0; i < kNumbers; ++i) sum += i;
  atomic_fetch_add_explicit((_Atomic long*)argument, sum, memory_order_relaxed);
  return (void*)(intptr_t)sum;
}
static void make_thread(void) {
  static _Atomic long theirs;
  pthread_t id;
  void* result = NULL;
  EXPECT(pthread_create(&id, NULL, add_own_numbers, &theirs) == 0, "No thread can be made.");
  EXPECT(pthread_join(id, &result) == 0, "It cannot be joined.");
  EXPECT((intptr_t)result == kNumbers * (kNumbers - 1) / 2, "Its result is %ld.",
         (long)(intptr_t)result);
}

static void* work(void* argument) {
  const int number = (int)(intptr_t)argument;
  const pthread_t self = pthread_self();
  long on_stack = 0, rounds_left = kRoundsAfter;
  int node = weft_node();
  for (long round = 0; !is_over; ++round) {
    add_under_lock(number, round);
    take_turn(number, round);
    atomic_fetch_add_explicit(&relaxed_sum, number, memory_order_relaxed);
    on_stack += number;
    own += number;
    if (round % 64 == number) make_thread();
    if (weft_node() != node) atomic_fetch_add(&moves, 1);
    node = weft_node();
    pthread_barrier_wait(&round_ends);
    EXPECT(locked_sum == (round + 1) * threads * (threads - 1) / 2, "The sum is %ld.", locked_sum);
    EXPECT(atomic_load(&relaxed_sum) == locked_sum, "The other sum is %ld.", (long)relaxed_sum);
    if (number == 0 && atomic_load(&moves) >= 2 * threads) is_over = --rounds_left == 0;
    pthread_barrier_wait(&round_ends);
    EXPECT(own == on_stack && pthread_equal(self, pthread_self()), "Thread %d is another.", number);
  }
  // Both ends: the second one goes back to the node that made the thread.
  if (number % 2 == 1) pthread_exit((void*)(intptr_t)own);
  return (void*)(intptr_t)own;
}

static void run_generation(void) {
  locked_sum = relaxed_sum = turn = handed_on = moves = is_over = own = 0;
  for (int t = 0; t < threads; ++t) locked_rounds[t] = 0;
  pthread_t ids[kMost];
  for (int t = 1; t < threads; ++t) {
    EXPECT(pthread_create(&ids[t], NULL, work, (void*)(intptr_t)t) == 0, "No thread %d", t);
  }
  const long mine = (long)(intptr_t)work(NULL);
  EXPECT(mine == 0, "The main thread has %ld.", mine);
  for (int t = 1; t < threads; ++t) {
    void* result = NULL;
    EXPECT(pthread_join(ids[t], &result) == 0, "Thread %d cannot be joined.", t);
    EXPECT((intptr_t)result == t * locked_rounds[t], "Thread %d has %ld.", t,
           (long)(intptr_t)result);
  }
}

int main(void) {
  threads = 2 * weft_nodes();
  EXPECT(threads <= kMost, "%d threads", threads);
  pthread_barrier_init(&round_ends, NULL, (unsigned)threads);
  for (int g = 0; g < kGenerations; ++g) run_generation();
  return ok();
}
