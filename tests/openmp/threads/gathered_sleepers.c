// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
// least_nodes: 2
// environment: WEFT_SPREAD=random
// counted: threads_gathered rests_ended
//
// Threads that sleep on other nodes while those that work are on node 0, which is alone then. Now
// and then one is woken: by a condition, a semaphore, a barrier. It sees all that was written while
// it slept, plainly or by atomic operations, and those who woke it see what it writes. Half of the
// sleepers come along when they are woken; the others cannot, as pthread_once has called them.

#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdint.h>

#include "../check.h"

enum {
  kWays = 3,
  kSleepersOfAWay = 4,
  kWorkers = 2,
  kRounds = 400,
  kWords = 3000,
  kTurns = 300000
};

struct Sleeper {
  pthread_t id;
  pthread_mutex_t lock;
  pthread_cond_t called;
  sem_t is_called;
  pthread_barrier_t both;
  pthread_once_t once;
  long call;  // of which round; -1: to end
  long answer;
};

static struct Sleeper sleepers[kWays * kSleepersOfAWay];
static _Thread_local int own_number;  // of the sleeper
static sem_t has_answered;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long words[kWords], locked_sum;
static _Atomic long counted, is_over;

static long wait_for_call(struct Sleeper* self, int way, long last) {
  if (way == 0) {
    pthread_mutex_lock(&self->lock);
    while (self->call == last) pthread_cond_wait(&self->called, &self->lock);
    const long call = self->call;
    pthread_mutex_unlock(&self->lock);
    return call;
  }
  if (way == 1) {
    sem_wait(&self->is_called);
  } else {
    pthread_barrier_wait(&self->both);
  }
  return self->call;
}

static void wake(struct Sleeper* sleeper, int way, long call) {
  if (way == 0) pthread_mutex_lock(&sleeper->lock);
  sleeper->call = call;
  if (way == 0) {
    pthread_cond_signal(&sleeper->called);
    pthread_mutex_unlock(&sleeper->lock);
  } else if (way == 1) {
    sem_post(&sleeper->is_called);
  } else {
    pthread_barrier_wait(&sleeper->both);
  }
}

static void sleep_till_called(void) {
  const int way = own_number % kWays;
  struct Sleeper* const self = &sleepers[own_number];
  for (long last = 0;;) {
    const long call = wait_for_call(self, way, last);
    if (call < 0) return;
    EXPECT(call > last, "Sleeper %d is called in round %ld after %ld.", own_number, call, last);
    for (int word = 0; word < kWords; ++word) {
      EXPECT(words[word] == call + word, "In round %ld, word %d is %ld.", call, word, words[word]);
    }
    const long now = atomic_load(&counted);
    EXPECT(now >= call, "Only %ld are counted in round %ld.", now, call);
    self->answer = 3 * call;
    last = call;
    sem_post(&has_answered);
  }
}

static void* be_sleeper(void* argument) {
  own_number = (int)(intptr_t)argument;
  if (own_number < kWays * kSleepersOfAWay / 2) {
    pthread_once(&sleepers[own_number].once, sleep_till_called);
  } else {
    sleep_till_called();
  }
  return argument;
}

// So that threads come together: they lose time to each other where they are apart.
static void* work(void* argument) {
  long mine = 0;
  while (!atomic_load(&is_over)) {
    pthread_mutex_lock(&lock);
    ++locked_sum;
    pthread_mutex_unlock(&lock);
    atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
    ++mine;
  }
  (void)argument;
  return (void*)(intptr_t)mine;
}

// As long as threads take to come together, and node 0 to be alone.
static void compute_a_while(void) {
  volatile unsigned product = 1;
  for (int turn = 0; turn < kTurns; ++turn) product *= 3;
}

static void call_one(long round) {
  const int number = (int)(round % (kWays * kSleepersOfAWay));
  for (int word = 0; word < kWords; ++word) words[word] = round + word;
  while (atomic_load(&counted) < round) continue;
  compute_a_while();
  wake(&sleepers[number], number % kWays, round);
  sem_wait(&has_answered);
  EXPECT(sleepers[number].answer == 3 * round, "Sleeper %d answers %ld in round %ld.", number,
         sleepers[number].answer, round);
}

int main(void) {
  pthread_t workers[kWorkers];
  sem_init(&has_answered, 0, 0);
  for (int number = 0; number < kWays * kSleepersOfAWay; ++number) {
    struct Sleeper* const each = &sleepers[number];
    pthread_mutex_init(&each->lock, NULL);
    pthread_cond_init(&each->called, NULL);
    sem_init(&each->is_called, 0, 0);
    pthread_barrier_init(&each->both, NULL, 2);
    each->once = (pthread_once_t)PTHREAD_ONCE_INIT;
    EXPECT(pthread_create(&each->id, NULL, be_sleeper, (void*)(intptr_t)number) == 0,
           "No sleeper %d", number);
  }
  for (int number = 0; number < kWorkers; ++number) {
    EXPECT(pthread_create(&workers[number], NULL, work, NULL) == 0, "No worker %d", number);
  }
  for (long round = 1; round <= kRounds; ++round) call_one(round);
  for (int number = 0; number < kWays * kSleepersOfAWay; ++number) {
    wake(&sleepers[number], number % kWays, -1);
    pthread_join(sleepers[number].id, NULL);
  }
  atomic_store(&is_over, 1);
  long sum = 0;
  for (int number = 0; number < kWorkers; ++number) {
    void* mine = NULL;
    pthread_join(workers[number], &mine);
    sum += (long)(intptr_t)mine;
  }
  EXPECT(locked_sum == sum && counted == sum, "%ld, %ld and %ld are counted.", locked_sum,
         (long)counted, sum);
  return ok();
}
