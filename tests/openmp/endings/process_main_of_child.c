// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// The thread that goes on in the child of a fork ends by itself, or is cancelled: so the child ends
// with status 0 if it is the last, and goes on if there is another one.
#include <pthread.h>
#include <stdint.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

enum way { kReturns, kExits, kCancelsItself, kIsCancelled, kLeavesAnother, kWays };

static void* cancel(void* thread) {
  void* result = NULL;
  if (pthread_cancel((pthread_t)thread) != 0 || pthread_join((pthread_t)thread, &result) != 0)
    _exit(2);
  _exit(result == PTHREAD_CANCELED ? 0 : 3);
}

static void* outlive(void* thread) { _exit(pthread_join((pthread_t)thread, NULL) == 0 ? 0 : 4); }

static void end(enum way way) {
  pthread_t other;
  if (way == kExits) pthread_exit(NULL);
  if (way == kCancelsItself) {
    pthread_cancel(pthread_self());
    pthread_testcancel();
  }
  if (way == kIsCancelled) {
    if (pthread_create(&other, NULL, cancel, (void*)pthread_self()) != 0) _exit(5);
    for (;;) pause();
  }
  if (way == kLeavesAnother) {
    if (pthread_create(&other, NULL, outlive, (void*)pthread_self()) != 0) _exit(5);
    pthread_exit(NULL);
  }
  _exit(0);
}

static void* fork_one(void* argument) {
  const enum way way = (enum way)(intptr_t)argument;
  int status = 0;
  const pid_t child = fork();
  if (child == 0) end(way);
  EXPECT(child > 0 && waitpid(child, &status, 0) == child, "way %d: no child", (int)way);
  EXPECT(status == 0, "way %d: the child ends with status %x.", (int)way, (unsigned)status);
  return NULL;
}

int main(void) {
  for (intptr_t way = 0; way < kWays; ++way) {
    fork_one((void*)way);
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, fork_one, (void*)way) == 0, "no thread");
    EXPECT(pthread_join(thread, NULL) == 0, "It cannot be joined.");
  }
  return ok();
}
