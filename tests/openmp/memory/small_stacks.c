// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads with the smallest stacks that there may be, which the program asks for or makes itself:
// Weft needs more than that below them, on whichever node they are. So do its libraries in the
// child of a fork.

#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 6, kTurns = 20, kBig = 1 << 16 };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;
static int big[kBig];

// Collectors go by that.
static void expect_in_stack(const void* local) {
  pthread_attr_t attributes;
  void* begin = NULL;
  size_t bytes = 0;
  EXPECT(pthread_getattr_np(pthread_self(), &attributes) == 0, "no attributes");
  EXPECT(pthread_attr_getstack(&attributes, &begin, &bytes) == 0, "no stack");
  EXPECT((const char*)local >= (char*)begin && (const char*)local < (char*)begin + bytes,
         "A local variable at %p is not on the stack at %p, of %zu bytes.", local, begin, bytes);
  pthread_attr_destroy(&attributes);
}

static void* take_turns(void* argument) {
  const int me = *(const int*)argument;
  expect_in_stack(&me);
  for (int i = 0; i < kTurns; ++i) {
    EXPECT(pthread_mutex_lock(&lock) == 0, "not locked");
    while (turn % kThreads != me) pthread_cond_wait(&passed, &lock);
    for (int k = 0; k < kBig; k += 512) big[k] += me;
    char* const block = malloc(100000);
    memset(block, me, 100000);
    free(block);
    ++turn;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&lock);
  }
  return argument;
}

// Each other one on a stack that the program makes.
static void run_threads(void) {
  pthread_t threads[kThreads];
  int numbers[kThreads];
  turn = 0;
  memset(big, 0, sizeof big);
  for (int i = 0; i < kThreads; ++i) {
    const size_t bytes = (size_t)PTHREAD_STACK_MIN + (size_t)(i / 2) * 8192;
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (i % 2 == 0) {
      EXPECT(pthread_attr_setstacksize(&attributes, bytes) == 0, "no size");
    } else {
      void* const stack = aligned_alloc(4096, bytes);  // for ever
      EXPECT(pthread_attr_setstack(&attributes, stack, bytes) == 0, "no stack");
    }
    numbers[i] = i;
    const int error = pthread_create(&threads[i], &attributes, take_turns, &numbers[i]);
    EXPECT(error == 0, "A stack of %zu bytes: %s", bytes, strerror(error));
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < kThreads; ++i) {
    void* result = NULL;
    EXPECT(pthread_join(threads[i], &result) == 0 && result == &numbers[i], "not joined");
  }
  for (int k = 0; k < kBig; k += 512)
    EXPECT(big[k] == kTurns * kThreads * (kThreads - 1) / 2, "%d at %d", big[k], k);
}

int main(void) {
  int local = 0;
  expect_in_stack(&local);
  run_threads();
  const pid_t child = fork();
  if (child == 0) {
    run_threads();
    _exit(0);
  }
  int status = 0;
  EXPECT(waitpid(child, &status, 0) == child && status == 0, "The child ended with %#x.", status);
  return ok();
}
