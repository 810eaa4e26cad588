// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Threads hand a turn round in a ring, so and so often each, and never reach a barrier: "mutex" with
// a condition, by "semaphores", or by an atomic "flag". Who has the turn writes a word of a table that
// all share. tests/records/run counts what their nodes keep of it.
//
//   handed WAY THREADS LAPS
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weft/weft.h>

enum { kMostThreads = 16, kWords = 4096, kPerPage = 512 };

static enum { kMutex, kSemaphores, kFlag } way;
static long threads, laps;
static long table[kWords];
static int nodes[kMostThreads];

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t handed = PTHREAD_COND_INITIALIZER;
static long turn;
static sem_t semaphores[kMostThreads];
static _Atomic long flag;

// The turn of this thread's next lap.
static void take_turn(long me, long lap) {
  const long mine = lap * threads + me;
  if (way == kMutex) {
    pthread_mutex_lock(&mutex);
    while (turn != mine) pthread_cond_wait(&handed, &mutex);
  } else if (way == kSemaphores) {
    sem_wait(&semaphores[me]);
  } else {
    while (atomic_load_explicit(&flag, memory_order_acquire) != mine) {
    }
  }
}

static void give_turn(long me, long lap) {
  if (way == kMutex) {
    ++turn;
    pthread_cond_broadcast(&handed);
    pthread_mutex_unlock(&mutex);
  } else if (way == kSemaphores) {
    sem_post(&semaphores[(me + 1) % threads]);
  } else {
    atomic_store_explicit(&flag, lap * threads + me + 1, memory_order_release);
  }
}

static void* run(void* argument) {
  const long me = (long)argument;
  nodes[me] = weft_node();
  for (long lap = 0; lap < laps; ++lap) {
    take_turn(me, lap);
    ++table[(lap * 7 + me * kPerPage) % kWords];
    give_turn(me, lap);
  }
  return NULL;
}

int main(int argc, char** argv) {
  static const char* const kWays[] = {"mutex", "semaphores", "flag"};
  if (argc != 4) return 2;
  while (strcmp(argv[1], kWays[way]) != 0) ++way;
  threads = atol(argv[2]);
  laps = atol(argv[3]);
  pthread_t made[kMostThreads];
  for (long i = 0; i < threads; ++i) sem_init(&semaphores[i], 0, i == 0);
  for (long i = 0; i < threads; ++i) pthread_create(&made[i], NULL, run, (void*)i);
  for (long i = 0; i < threads; ++i) pthread_join(made[i], NULL);
  long sum = 0;
  for (int i = 0; i < kWords; ++i) sum += table[i];
  printf("%ld on", sum);
  for (long i = 0; i < threads; ++i) printf(" %d", nodes[i]);
  puts("");
  return 0;
}
