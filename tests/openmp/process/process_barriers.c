// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// membarrier(2) as userspace-rcu uses it: its constructor asks for the command and registers the
// process. If it is there, it works for threads of any node; else nobody has it, and each thread
// has a full fence.

#include <errno.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 200, kPage = 4096 };

static int has_barrier;

static long membarrier(int command) { return syscall(SYS_membarrier, command, 0, 0); }

static int is_offered(void) {
  const long commands = membarrier(MEMBARRIER_CMD_QUERY);
  EXPECT(commands >= 0 || errno == ENOSYS, "What there is: %s", strerror(errno));
  return commands > 0 && (commands & MEMBARRIER_CMD_PRIVATE_EXPEDITED) != 0;
}

__attribute__((constructor)) static void set_up(void) {
  has_barrier = is_offered();
  const long result = membarrier(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED);
  EXPECT((result == 0) == has_barrier, "Registration returns %ld.", result);
}

static void heavy_fence(void) {
  if (!has_barrier) return atomic_thread_fence(memory_order_seq_cst);
  const long result = membarrier(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
  EXPECT(result == 0, "The barrier: %s", strerror(errno));
}

static void light_fence(void) {
  if (!has_barrier) return atomic_thread_fence(memory_order_seq_cst);
  atomic_signal_fence(memory_order_seq_cst);
}

static void* ask(void* argument) {
  EXPECT(is_offered() == has_barrier, "Another thread is told something else.");
  heavy_fence();
  return argument;
}

// In each round one of two threads sees the other's store.
static _Alignas(kPage) atomic_int x;
static _Alignas(kPage) atomic_int y;
static _Alignas(kPage) int sees_y[kRounds];
static _Alignas(kPage) int sees_x[kRounds];
static pthread_barrier_t both;

static void* be_light(void* argument) {
  for (int i = 0; i < kRounds; ++i) {
    pthread_barrier_wait(&both);
    atomic_store_explicit(&x, i + 1, memory_order_relaxed);
    light_fence();
    sees_y[i] = atomic_load_explicit(&y, memory_order_relaxed) == i + 1;
  }
  return argument;
}

static void* be_heavy(void* argument) {
  for (int i = 0; i < kRounds; ++i) {
    pthread_barrier_wait(&both);
    atomic_store_explicit(&y, i + 1, memory_order_relaxed);
    heavy_fence();
    sees_x[i] = atomic_load_explicit(&x, memory_order_relaxed) == i + 1;
  }
  return argument;
}

int main(void) {
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; ++t) pthread_create(&threads[t], NULL, ask, NULL);
  for (int t = 0; t < kThreads; ++t) pthread_join(threads[t], NULL);
  pthread_barrier_init(&both, NULL, 2);
  pthread_create(&threads[0], NULL, be_light, NULL);
  pthread_create(&threads[1], NULL, be_heavy, NULL);
  for (int t = 0; t < 2; ++t) pthread_join(threads[t], NULL);
  for (int i = 0; i < kRounds; ++i) {
    EXPECT(sees_x[i] || sees_y[i], "Neither saw the other in round %d.", i);
  }
  return ok();
}
