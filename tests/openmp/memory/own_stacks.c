// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Stacks that the program makes itself, in each kind of its memory: what runs there works on atomic
// variables, locks and data of all nodes, and its local variables are shared as any.

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 400, kBytes = 1 << 16, kApart = 64 };

static char static_stacks[kThreads][kBytes] __attribute__((aligned(4096)));
static _Alignas(64) atomic_long counters[kThreads * kApart];
static atomic_long sum;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long under_mutex, written[kThreads * kRounds];

struct Fiber {
  ucontext_t self, back;
  char* stack;
  long number, result;
};

static void work(struct Fiber* fiber) {
  const long mine = fiber->number;
  long local[512];
  for (int i = 0; i < 512; ++i) local[i] = mine;
  for (int round = 0; round < kRounds; ++round) {
    ++counters[(mine + 1) % kThreads * kApart];
    sum += 1 + 0 * counters[mine * kApart];
    written[round * kThreads + mine] = mine + local[round % 512] + 1;
    pthread_mutex_lock(&mutex);
    ++under_mutex;
    pthread_mutex_unlock(&mutex);
    if (round % 100 == 0) swapcontext(&fiber->self, &fiber->back);
    free(malloc((size_t)round * 40));
  }
  for (int i = 0; i < 512; ++i) fiber->result += local[i] == mine;
}

static void enter(unsigned high, unsigned low) {
  struct Fiber* fiber = (struct Fiber*)((unsigned long)high << 32 | low);
  work(fiber);
}

static void make(struct Fiber* fiber, int kind, long number) {
  fiber->number = number;
  fiber->result = 0;
  fiber->stack =
      kind == 0   ? static_stacks[number]
      : kind == 1 ? malloc(kBytes)
                  : mmap(NULL, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  getcontext(&fiber->self);
  fiber->self.uc_stack.ss_sp = fiber->stack;
  fiber->self.uc_stack.ss_size = kBytes;
  fiber->self.uc_link = &fiber->back;
  const unsigned long address = (unsigned long)fiber;
  makecontext(&fiber->self, (void (*)(void))enter, 2, (unsigned)(address >> 32), (unsigned)address);
}

static void finish(struct Fiber* fiber, int kind) {
  EXPECT(fiber->result == 512, "local variables of fiber %ld: %ld", fiber->number, fiber->result);
  if (kind == 1) free(fiber->stack);
  if (kind == 2) munmap(fiber->stack, kBytes);
}

static struct Fiber fibers[kThreads];

static void resume(struct Fiber* fiber) { swapcontext(&fiber->back, &fiber->self); }

static void* run(void* argument) {
  for (int turn = 0; turn < 5; ++turn) resume(argument);
  return NULL;
}

static void check(int kind) {
  for (int i = 0; i < kThreads; ++i) finish(&fibers[i], kind);
  EXPECT(sum == kThreads * kRounds, "%ld", (long)sum);
  EXPECT(under_mutex == kThreads * kRounds, "%ld", under_mutex);
  for (long i = 0; i < kThreads * kRounds; ++i) {
    EXPECT(written[i] == 2 * (i % kThreads) + 1, "%ld: %ld", i, written[i]);
    written[i] = 0;
  }
  sum = under_mutex = 0;
}

// --- a context whose signal mask is on another page than its registers, which the last node has
// written last ---

static _Alignas(4096) char two_pages[8][2 * 4096];
static long entered;

static void enter_once(void) { ++entered; }

static void write_on_last_node(char* memory, int value) {
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) memset(memory, value, 2048);
}

static void torn_contexts(void) {
  static ucontext_t back;
  for (int round = 0; round < 8; ++round) {
    char* const second = two_pages[round] + 4096;
    ucontext_t* context = (ucontext_t*)(second - offsetof(ucontext_t, uc_sigmask));
    write_on_last_node(second, 0);
    EXPECT(getcontext(context) == 0, "getcontext");
    context->uc_stack.ss_sp = static_stacks[0];
    context->uc_stack.ss_size = kBytes;
    context->uc_link = &back;
    makecontext(context, enter_once, 0);
    write_on_last_node(second + 2048, 2);
    EXPECT(swapcontext(&back, context) == 0, "swapcontext in round %d", round);
  }
  EXPECT(entered == 8, "%ld entered", entered);
}

int main(void) {
  torn_contexts();
  for (int kind = 0; kind < 3; ++kind) {
    // By threads of the program's own.
    pthread_t threads[kThreads];
    for (int i = 0; i < kThreads; ++i) {
      make(&fibers[i], kind, i);
      pthread_create(&threads[i], NULL, run, &fibers[i]);
    }
    for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
    check(kind);
    // By threads of a team, which hand them on: each turn of a fiber is another thread's.
    for (int i = 0; i < kThreads; ++i) make(&fibers[i], kind, i);
#pragma omp parallel num_threads(kThreads)
    for (int turn = 0; turn < 5; ++turn) {
#pragma omp for schedule(static)
      for (int i = 0; i < kThreads; ++i) resume(&fibers[(i + turn) % kThreads]);
    }
    check(kind);
  }
  return ok();
}
