// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
// least_nodes: 2
// environment: WEFT_BALANCE=1 WEFT_THREADS_ON=here
// counted: threads_balanced
//
// Threads that all begin on node 0, two for each node, are moved until each node has some
// (`weft run --balance`). They go on in phases until that has been seen, and keep all that they
// have: local and thread-local variables, ids, and the sums that they exchange.

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <weft/weft.h>

#include "../check.h"

enum { kMost = 128, kLong = 2000, kPhasesAfter = 50 };

static int threads;
static pthread_barrier_t phase_ends;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long parts[kMost][512];  // a page each
static int node_of[kMost];
static long phases, sum_of_locked;
static int is_over;
static _Thread_local long own;

static void look_where_all_are(long* phases_left) {
  int seen[kMost] = {0}, nodes = 0;
  for (int t = 0; t < threads; ++t) {
    if (seen[node_of[t]]++ == 0) ++nodes;
  }
  if (nodes == weft_nodes() || *phases_left < kPhasesAfter) --*phases_left;
  is_over = *phases_left == 0;
}

static long compute(int number, long phase) {
  volatile long sum = 0;
  for (long i = 0; i < kLong; ++i) sum += (i ^ number) + phase % 7;
  return sum;
}

static void* work(void* argument) {
  const int number = (int)(intptr_t)argument;
  const pthread_t self = pthread_self();
  long sum = 0, phases_left = kPhasesAfter;
  for (long phase = 0; !is_over; ++phase) {
    EXPECT(phase == phases, "Thread %d is in phase %ld of %ld.", number, phase, phases);
    node_of[number] = weft_node();
    parts[number][phase % 512] = compute(number, phase);
    sum += parts[number][phase % 512];
    own += number;
    pthread_mutex_lock(&lock);
    ++sum_of_locked;
    pthread_mutex_unlock(&lock);
    pthread_barrier_wait(&phase_ends);
    const int next = (number + 1) % threads;
    EXPECT(parts[next][phase % 512] == compute(next, phase), "The part of %d is another.", next);
    EXPECT(sum_of_locked == (phase + 1) * threads, "%ld were added.", sum_of_locked);
    if (number == 0) {
      ++phases;
      look_where_all_are(&phases_left);
    }
    pthread_barrier_wait(&phase_ends);
  }
  EXPECT(own == number * phases, "The thread-local variable of %d is %ld.", number, own);
  EXPECT(pthread_equal(self, pthread_self()), "The id of %d has changed.", number);
  return (void*)(intptr_t)sum;
}

int main(void) {
  threads = 2 * weft_nodes();
  EXPECT(threads <= kMost, "There is room for %d threads.", kMost);
  pthread_t ids[kMost];
  pthread_barrier_init(&phase_ends, NULL, threads);
  for (int t = 0; t < threads; ++t) pthread_create(&ids[t], NULL, work, (void*)(intptr_t)t);
  for (int t = 0; t < threads; ++t) {
    void* result;
    pthread_join(ids[t], &result);
    long sum = 0;
    for (long phase = 0; phase < phases; ++phase) sum += compute(t, phase);
    EXPECT((intptr_t)result == sum, "The sum of %d is %ld.", t, (long)(intptr_t)result);
  }
  return ok();
}
