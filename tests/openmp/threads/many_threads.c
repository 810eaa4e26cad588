// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// More threads at a time than any node has processors. Each reads and writes the local and the
// thread-local variables of all others; so do those that begin when these have ended.

#include <pthread.h>
#include <stdint.h>

#include "../check.h"

enum { kThreads = 160, kTimes = 2 };

static long *local_of[kThreads], *thread_local_of[kThreads];
static pthread_barrier_t all;
static _Thread_local long own = -1;

static void* look_at_others(void* argument) {
  const long number = (long)(intptr_t)argument;
  long local = 1000 + number;
  EXPECT(own == -1, "Thread %ld begins with %ld.", number, own);
  own = 2000 + number;
  local_of[number] = &local;
  thread_local_of[number] = &own;
  pthread_barrier_wait(&all);
  for (long other = 0; other < kThreads; ++other) {
    EXPECT(*local_of[other] == 1000 + other, "%ld has %ld of %ld.", number, *local_of[other],
           other);
    EXPECT(*thread_local_of[other] == 2000 + other, "%ld has the thread-local %ld of %ld.", number,
           *thread_local_of[other], other);
  }
  pthread_barrier_wait(&all);
  const long next = (number + 1) % kThreads;
  *local_of[next] += 1;
  *thread_local_of[next] += 2;
  pthread_barrier_wait(&all);
  EXPECT(local == 1001 + number && own == 2002 + number, "%ld has got %ld and %ld.", number, local,
         own);
  return argument;
}

int main(void) {
  pthread_t threads[kThreads];
  pthread_barrier_init(&all, NULL, kThreads);
  for (int time = 0; time < kTimes; ++time) {
    for (int number = 0; number < kThreads; ++number) {
      EXPECT(pthread_create(&threads[number], NULL, look_at_others, (void*)(intptr_t)number) == 0,
             "No thread %d", number);
    }
    for (int number = 0; number < kThreads; ++number) pthread_join(threads[number], NULL);
  }
  return ok();
}
