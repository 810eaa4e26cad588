// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads run on the stacks that the program makes for them (pthread_attr_setstack), in each kind
// of its memory and on whichever node, and are told so. Some find their data by their stack.

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "../check.h"

enum { kThreads = 6, kTurns = 50, kBytes = 1 << 18 };

// At a stack's lowest address.
struct Base {
  int number, turns;
};

static char static_stacks[kThreads][kBytes] __attribute__((aligned(kBytes)));
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t passed = PTHREAD_COND_INITIALIZER;
static int turn;

static struct Base* base_of(const void* local) {
  return (struct Base*)((uintptr_t)local & ~(uintptr_t)(kBytes - 1));
}

static void* run(void* stack) {
  int local = 0;
  struct Base* const base = base_of(&local);
  EXPECT(base == stack, "A thread runs at %p, not on its stack at %p.", (void*)&local, stack);
  pthread_attr_t attributes;
  void* told = NULL;
  size_t bytes = 0;
  EXPECT(pthread_getattr_np(pthread_self(), &attributes) == 0, "no attributes");
  EXPECT(pthread_attr_getstack(&attributes, &told, &bytes) == 0, "no stack");
  EXPECT(told == stack && bytes == kBytes, "%zu bytes at %p are told.", bytes, told);
  pthread_attr_destroy(&attributes);
  for (; local < kTurns; ++local) {
    pthread_mutex_lock(&mutex);
    while (turn % kThreads != base->number) pthread_cond_wait(&passed, &mutex);
    ++base->turns;
    ++turn;
    pthread_cond_broadcast(&passed);
    pthread_mutex_unlock(&mutex);
  }
  return base;
}

static void* aligned_part(char* of_twice_as_much) { return base_of(of_twice_as_much + kBytes - 1); }

static void check(int kind) {
  pthread_t threads[kThreads];
  struct Base* stacks[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    stacks[i] = kind == 0   ? (void*)static_stacks[i]
                : kind == 1 ? aligned_alloc(kBytes, kBytes)
                            : aligned_part(mmap(NULL, 2 * kBytes, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    *stacks[i] = (struct Base){i, 0};
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    EXPECT(pthread_attr_setstack(&attributes, stacks[i], kBytes) == 0, "no stack");
    EXPECT(pthread_create(&threads[i], &attributes, run, stacks[i]) == 0, "no thread");
    pthread_attr_destroy(&attributes);
  }
  for (int i = 0; i < kThreads; ++i) {
    void* result = NULL;
    EXPECT(pthread_join(threads[i], &result) == 0 && result == stacks[i], "not joined");
    EXPECT(stacks[i]->turns == kTurns, "Thread %d has had %d turns.", i, stacks[i]->turns);
    if (kind == 1) free(stacks[i]);
  }
}

int main(void) {
  for (int kind = 0; kind < 3; ++kind) check(kind);
  return ok();
}
