// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// environment: WEFT_THREADS_ON=all
//
// A flag is set, and a condition signalled, without the mutex. Whoever is woken by that sees the
// flag, and what was written before, on whatever node it waits. (A signal of the round before may
// come late.)

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../check.h"

enum { kThreads = 8, kRounds = 20, kMostInVain = 100 };

static struct Place {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  int ready, data;
} places[kThreads];
static atomic_int inside, seen;

static void* wait(void* argument) {
  struct Place* const place = argument;
  for (int round = 1; round <= kRounds; ++round) {
    pthread_mutex_lock(&place->mutex);
    ++inside;
    for (int in_vain = 0; place->ready < round; ++in_vain) {
      EXPECT(in_vain < kMostInVain, "Woken in round %d, and the flag is %d.", round, place->ready);
      pthread_cond_wait(&place->condition, &place->mutex);
    }
    EXPECT(place->data == 7 * round, "In round %d the data are %d.", round, place->data);
    pthread_mutex_unlock(&place->mutex);
    ++seen;
    while (seen < kThreads * round) sched_yield();
  }
  return NULL;
}

// Some may be about to wait, and so would sleep through one signal.
static void tell_all(int round, int (*tell)(pthread_cond_t*)) {
  while (inside < kThreads * round) sched_yield();
  for (int i = 0; i < kThreads; ++i) {
    places[i].data = 7 * round;
    places[i].ready = round;
  }
  while (seen < kThreads * round) {
    for (int i = 0; i < kThreads; ++i) tell(&places[i].condition);
    sched_yield();
  }
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) {
    pthread_mutex_init(&places[i].mutex, NULL);
    pthread_cond_init(&places[i].condition, NULL);
  }
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, wait, &places[i]);
  for (int round = 1; round <= kRounds; ++round) {
    tell_all(round, round % 2 == 0 ? pthread_cond_signal : pthread_cond_broadcast);
  }
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  return ok();
}
