// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// main returns while threads on all nodes go on writing, waiting and making threads: the program
// ends with its status, after its exit handlers, and nothing is left behind.

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <weft/weft.h>

#include "../check.h"

static sem_t has_begun, never;
static atomic_long added;
static long cells[100000];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void at_end(void) { ok(); }

static void* write_for_ever(void* begun) {
  sem_post(begun);
  for (unsigned i = 0;; i = (i + 511) % 100000) {
    cells[i] += i;
    if (i % 16 != 0) continue;
    added += 1;
    pthread_mutex_lock(&lock);
    cells[i] += 1;
    pthread_mutex_unlock(&lock);
  }
}

static void* wait_for_ever(void* begun) {
  sem_post(begun);
  sem_wait(&never);
  return NULL;
}

static void* end_at_once(void* unused) { return unused; }

static void* make_threads_for_ever(void* begun) {
  sem_post(begun);
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) == 0) pthread_join(thread, NULL);
  }
}

int main(void) {
  void* (*const kinds[])(void*) = {write_for_ever, wait_for_ever, make_threads_for_ever};
  const int threads = 3 * weft_nodes();
  atexit(at_end);
  sem_init(&has_begun, 0, 0);
  sem_init(&never, 0, 0);
  for (int t = 0; t < threads; ++t) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, kinds[t / 2 % 3], &has_begun) == 0, "pthread_create");
  }
  for (int t = 0; t < threads; ++t) sem_wait(&has_begun);
  while (added < 100) sched_yield();
  return 0;
}
