// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What one thread prints before it lets another go on comes before what that one prints, whatever
// lets it: a lock, a turn, a task, a condition, a flag. Lines that have no end go on where they
// were. The order is checked by whoever reads the output.

#include <omp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "../check.h"

enum { kRounds = 5, kIterations = 30 };
static int count;

static void say(const char* kind) { printf("%s:%d\n", kind, count++); }

static void by_ordered(void) {
#pragma omp parallel for ordered schedule(dynamic)
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
    printf("ordered:%d\n", i);
  }
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered
    printf("line:%d ", i);
  }
  printf("\n");
#pragma omp parallel for ordered(1)
  for (int i = 0; i < kIterations; ++i) {
#pragma omp ordered depend(sink : i - 1)
    printf("doacross:%d\n", i);
#pragma omp ordered depend(source)
  }
}

static void by_locks(void) {
  static omp_lock_t lock;
  static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  omp_init_lock(&lock);
  count = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
#pragma omp critical
    say("critical");
  }
  count = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    omp_set_lock(&lock);
    printf("lockline:%d ", count++);
    omp_unset_lock(&lock);
  }
  printf("\n");
  count = 0;
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    pthread_mutex_lock(&mutex);
    say("mutex");
    pthread_mutex_unlock(&mutex);
  }
  omp_destroy_lock(&lock);
}

// Past the buffers of the C library.
static void by_turns(void) {
  static atomic_int turn;
  const int threads = omp_get_max_threads();
#pragma omp parallel
  for (int round = 0; round < kRounds; ++round) {
    const int mine = round * threads + omp_get_thread_num();
    while (atomic_load_explicit(&turn, memory_order_acquire) != mine) {
    }
    char text[32];
    const int length = snprintf(text, sizeof text, "turn:%d\n", mine);
    EXPECT(write(STDOUT_FILENO, text, (size_t)length) == length, "It cannot be written.");
    atomic_store_explicit(&turn, mine + 1, memory_order_release);
  }
}

static void by_tasks(void) {
  count = 0;
#pragma omp parallel
#pragma omp single
  for (int i = 0; i < kIterations; ++i) {
    say("task");
#pragma omp task depend(inout : count)
    say("task");
#pragma omp task depend(inout : count)
    say("task");
#pragma omp taskwait
  }
}

int main(void) {
  by_ordered();
  by_locks();
  by_turns();
  by_tasks();
  return ok();
}
