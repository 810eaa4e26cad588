// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
// environment: WEFT_SPREAD=auto
//
// In a program that stays on node 0, what threads synchronise by are the C library's own objects:
// they say what it says, and show what it shows.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 4, kRounds = 2000 };

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static long added;

static void* add(void* unused) {
  (void)unused;
  for (int round = 0; round < kRounds; ++round) {
    if (round % 3 == 0) {
      while (pthread_mutex_trylock(&mutex) != 0) sched_yield();
    } else {
      EXPECT(pthread_mutex_lock(&mutex) == 0, "lock");
    }
    EXPECT(mutex.__data.__owner == gettid(), "the C library's mutex is %d's", mutex.__data.__owner);
    ++added;
    EXPECT(pthread_mutex_unlock(&mutex) == 0, "unlock");
  }
  return NULL;
}

static void run_all(void* (*function)(void*)) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) pthread_create(&threads[i], NULL, function, NULL);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
}

static void kinds_of_mutexes(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutex_t object;
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
  pthread_mutex_init(&object, &attributes);
  EXPECT(pthread_mutex_lock(&object) == 0, "first");
  EXPECT(pthread_mutex_lock(&object) == EDEADLK, "second");
  EXPECT(pthread_mutex_trylock(&object) == EBUSY, "try");
  EXPECT(pthread_mutex_unlock(&object) == 0, "unlock");
  EXPECT(pthread_mutex_unlock(&object) == EPERM, "unlock again");

  pthread_mutex_t again;
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&again, &attributes);
  for (int i = 0; i < 40; ++i) EXPECT(pthread_mutex_lock(&again) == 0, "%d", i);
  for (int i = 0; i < 40; ++i) EXPECT(pthread_mutex_unlock(&again) == 0, "%d", i);
  EXPECT(pthread_mutex_unlock(&again) == EPERM, "once too often");

  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  pthread_mutex_lock(&mutex);
  EXPECT(pthread_mutex_timedlock(&mutex, &soon) == ETIMEDOUT, "timedlock");
  EXPECT(pthread_mutex_clocklock(&mutex, CLOCK_REALTIME, &soon) == ETIMEDOUT, "clocklock");
  pthread_mutex_unlock(&mutex);
}

// --- a queue of one place: conditions, also of C11 ---

static pthread_cond_t full = PTHREAD_COND_INITIALIZER, empty = PTHREAD_COND_INITIALIZER;
static long place, sum;

static void* take(void* unused) {
  (void)unused;
  pthread_mutex_lock(&mutex);
  for (int round = 0; round < kRounds; ++round) {
    while (place == 0) pthread_cond_wait(&full, &mutex);
    sum += place;
    place = 0;
    pthread_cond_signal(&empty);
  }
  pthread_mutex_unlock(&mutex);
  return NULL;
}

static void conditions(void) {
  pthread_t taker;
  pthread_create(&taker, NULL, take, NULL);
  for (long round = 1; round <= kRounds; ++round) {
    pthread_mutex_lock(&mutex);
    while (place != 0) pthread_cond_wait(&empty, &mutex);
    place = round;
    pthread_cond_signal(&full);
    pthread_mutex_unlock(&mutex);
  }
  pthread_join(taker, NULL);
  EXPECT(sum == kRounds * (kRounds + 1L) / 2, "%ld", sum);
  struct timespec soon;
  clock_gettime(CLOCK_REALTIME, &soon);
  pthread_mutex_lock(&mutex);
  EXPECT(pthread_cond_timedwait(&full, &mutex, &soon) == ETIMEDOUT, "nobody signals");
  pthread_mutex_unlock(&mutex);
  EXPECT(pthread_cond_destroy(&full) == 0 && pthread_cond_destroy(&empty) == 0, "destroy");
}

static mtx_t c11_mutex;
static cnd_t c11_condition;
static int c11_turn;

static int take_turns(void* mine) {
  for (int round = 0; round < kRounds; ++round) {
    mtx_lock(&c11_mutex);
    while (c11_turn != *(int*)mine) cnd_wait(&c11_condition, &c11_mutex);
    c11_turn = 1 - c11_turn;
    cnd_signal(&c11_condition);
    mtx_unlock(&c11_mutex);
  }
  return 0;
}

static void c11(void) {
  static int first = 0, second = 1;
  mtx_init(&c11_mutex, mtx_plain);
  cnd_init(&c11_condition);
  thrd_t thread;
  thrd_create(&thread, take_turns, &second);
  take_turns(&first);
  thrd_join(thread, NULL);
  EXPECT(mtx_trylock(&c11_mutex) == thrd_success, "try");
  EXPECT(mtx_unlock(&c11_mutex) == thrd_success, "unlock");
}

// --- semaphores, barriers, read-write locks ---

static sem_t items, places;
static pthread_barrier_t barrier;
static pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
static long serial, pairs[2];

static void* meet(void* unused) {
  (void)unused;
  for (int round = 0; round < kRounds / 10; ++round) {
    sem_wait(&places);
    sem_post(&items);
    if (pthread_barrier_wait(&barrier) == PTHREAD_BARRIER_SERIAL_THREAD) {
      ++serial;
      for (int i = 0; i < kThreads; ++i) EXPECT(sem_trywait(&items) == 0, "item %d", i);
      EXPECT(sem_trywait(&items) == -1 && errno == EAGAIN, "one item more");
      for (int i = 0; i < kThreads; ++i) sem_post(&places);
    }
    pthread_rwlock_wrlock(&lock);
    ++pairs[0], ++pairs[1];
    pthread_rwlock_unlock(&lock);
    pthread_rwlock_rdlock(&lock);
    EXPECT(pairs[0] == pairs[1], "%ld and %ld", pairs[0], pairs[1]);
    pthread_rwlock_unlock(&lock);
    pthread_barrier_wait(&barrier);
  }
  return NULL;
}

// --- a thread that is cancelled while it waits has the mutex in its handlers ---

static void give_up(void* unused) {
  (void)unused;
  EXPECT(mutex.__data.__owner == gettid(), "%d has the mutex", mutex.__data.__owner);
  pthread_mutex_unlock(&mutex);
}

static int waits;

static void* wait_in_vain(void* unused) {
  (void)unused;
  static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(give_up, NULL);
  waits = 1;
  for (;;) pthread_cond_wait(&never, &mutex);
  pthread_cleanup_pop(0);
  return NULL;
}

static void cancelled(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_in_vain, NULL);
  for (int is_there = 0; !is_there; sched_yield()) {
    pthread_mutex_lock(&mutex);
    is_there = waits;
    pthread_mutex_unlock(&mutex);
  }
  pthread_cancel(thread);
  void* result = NULL;
  pthread_join(thread, &result);
  EXPECT(result == PTHREAD_CANCELED, "it was not cancelled");
}

// --- the child of a fork has the mutexes as they were ---

static void forked(void) {
  pthread_mutex_lock(&mutex);
  const pid_t child = fork();
  if (child == 0) {
    const int is_locked = pthread_mutex_trylock(&mutex) == EBUSY;
    pthread_mutex_unlock(&mutex);
    _exit(is_locked && pthread_mutex_lock(&mutex) == 0 ? 0 : 1);
  }
  pthread_mutex_unlock(&mutex);
  int status = 1;
  EXPECT(waitpid(child, &status, 0) == child && status == 0, "the child says %d", status);
}

int main(void) {
  run_all(add);
  EXPECT(added == (long)kThreads * kRounds, "%ld", added);
  kinds_of_mutexes();
  conditions();
  c11();
  sem_init(&places, 0, kThreads);
  sem_init(&items, 0, 0);
  pthread_barrier_init(&barrier, NULL, kThreads);
  run_all(meet);
  EXPECT(serial == kRounds / 10, "%ld", serial);
  EXPECT(pairs[0] == kThreads * (kRounds / 10), "%ld", pairs[0]);
  cancelled();
  forked();
  return ok();
}
