// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_SPREAD=auto
// counted: threads_gathered
//
// Threads that hold a lock nearly all the time come together, too: for each piece of work one has
// an outer lock, and takes many inner ones, so it seldom holds none. The program ends when all of
// its threads have come.

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <weft/weft.h>

#include "../check.h"

enum { kMost = 64, kOuter = 512, kInner = 63, kLocks = 1000 };

static pthread_mutex_t outer[kOuter], locks[kLocks];
static long data[kLocks][8], sums[kMost];
static _Atomic long next;
static _Atomic int there;
static int threads;

static void piece(long number, long* sum) {
  unsigned random = (unsigned)number * 2654435761u + 1;
  pthread_mutex_lock(&outer[number % kOuter]);
  for (int i = 0; i < kInner; i++) {
    random = random * 1664525u + 1013904223u;
    const unsigned which = (random >> 8) % kLocks;
    pthread_mutex_lock(&locks[which]);
    data[which][0]++;
    pthread_mutex_unlock(&locks[which]);
  }
  *sum += kInner;
  pthread_mutex_unlock(&outer[number % kOuter]);
}

static void* work(void* argument) {
  int has_come = 0;
  for (;;) {
    const long number = atomic_fetch_add(&next, 1);
    if (number < 0) break;
    piece(number, argument);
    if (has_come || weft_node() != 0) continue;
    has_come = 1;
    if (atomic_fetch_add(&there, 1) + 1 == threads) atomic_store(&next, INT64_MIN / 2);
  }
  return NULL;
}

int main(void) {
  threads = 2 * weft_nodes();
  EXPECT(threads <= kMost, "%d threads", threads);
  for (int i = 0; i < kOuter; i++) pthread_mutex_init(&outer[i], NULL);
  for (int i = 0; i < kLocks; i++) pthread_mutex_init(&locks[i], NULL);
  pthread_t ids[kMost];
  for (int t = 0; t < threads; t++)
    EXPECT(pthread_create(&ids[t], NULL, work, &sums[t]) == 0, "No thread %d", t);
  long done = 0, counted = 0;
  for (int t = 0; t < threads; t++) {
    EXPECT(pthread_join(ids[t], NULL) == 0, "Thread %d cannot be joined.", t);
    done += sums[t];
  }
  for (int i = 0; i < kLocks; i++) counted += data[i][0];
  EXPECT(done == counted, "%ld were added, and %ld are there.", done, counted);
  return ok();
}
