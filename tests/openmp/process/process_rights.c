// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// A program that gives up root's rights, as servers do, before its threads work together. Without
// those rights it has none to give up.

#include <errno.h>
#include <omp.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 7, kTurns = 100, kNumbers = 1 << 18 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long sum;
static int numbers[kNumbers];

static void* add(void* none) {
  for (int i = 0; i < kTurns; ++i) {
    pthread_mutex_lock(&lock);
    ++sum;
    pthread_mutex_unlock(&lock);
  }
  EXPECT(getuid() != 0 && geteuid() != 0, "A thread is still root's.");
  return none;
}

int main(void) {
  enum { kNobody = 65534 };
  if (getuid() == 0) EXPECT(setuid(kNobody) == 0, "setuid: %s", strerror(errno));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    EXPECT(pthread_create(&threads[i], NULL, add, NULL) == 0, "no thread");
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  EXPECT(sum == kThreads * kTurns, "%ld", sum);
  for (int turn = 0; turn < 3; ++turn) {
    const int threads_there = omp_get_max_threads();
#pragma omp parallel for
    for (int i = 0; i < kNumbers; ++i) numbers[i] += i % (1000 + threads_there);
#pragma omp parallel for
    for (int i = 0; i < kNumbers; ++i)
      EXPECT(
          numbers[kNumbers - 1 - i] == (turn + 1) * ((kNumbers - 1 - i) % (1000 + threads_there)),
          "%d at %d", numbers[kNumbers - 1 - i], kNumbers - 1 - i);
  }
  return ok();
}
