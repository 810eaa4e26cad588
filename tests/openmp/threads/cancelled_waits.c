// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// Threads that are cancelled in each kind of wait, on any node and at any moment of it: before they
// wait, as they begin to, and for long. Each cleans up, a condition's mutex is held then, and the
// objects are as good as before.

#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdint.h>
#include <threads.h>
#include <unistd.h>

#include "../check.h"

enum { kRounds = 12, kWords = 2048 };

typedef void (*Wait)(void);

static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static mtx_t c11_mutex;
static cnd_t c11_condition;
static pthread_t one_for_ever;
static long words[kWords];
static _Atomic int has_begun, cleaned;

static void clean_up(void* unused) {
  (void)unused;
  cleaned++;
}

static void unlock(void* unused) {
  (void)unused;
  EXPECT(pthread_mutex_unlock(&mutex) == 0, "The condition's mutex was not held.");
}
static void unlock_c11(void* unused) {
  (void)unused;
  EXPECT(mtx_unlock(&c11_mutex) == thrd_success, "The condition's mutex was not held.");
}

static struct timespec in_a_year(void) {
  struct timespec time;
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 365 * 24 * 3600;
  return time;
}

static void in_semaphore(void) { sem_wait(&semaphore); }

static void in_semaphore_for_a_year(void) {
  const struct timespec until = in_a_year();
  sem_timedwait(&semaphore, &until);
}

static void in_condition(void) {
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  pthread_cond_wait(&condition, &mutex);
  pthread_cleanup_pop(1);
}

static void in_condition_for_a_year(void) {
  const struct timespec until = in_a_year();
  pthread_mutex_lock(&mutex);
  pthread_cleanup_push(unlock, NULL);
  pthread_cond_timedwait(&condition, &mutex, &until);
  pthread_cleanup_pop(1);
}

static void in_c11_condition(void) {
  mtx_lock(&c11_mutex);
  pthread_cleanup_push(unlock_c11, NULL);
  cnd_wait(&c11_condition, &c11_mutex);
  pthread_cleanup_pop(1);
}

static void in_join(void) { pthread_join(one_for_ever, NULL); }

// A pipe is its node's.
static void in_read(void) {
  int ends[2];
  char byte;
  EXPECT(pipe(ends) == 0, "pipe");
  EXPECT(read(ends[0], &byte, 1) != 1, "There is something to read.");
}

static void touch(void) {
  pthread_mutex_lock(&mutex);
  for (int i = 0; i < kWords; i += 512) words[i]++;
  pthread_mutex_unlock(&mutex);
}

// Takes pages from another thread, so that there is always a message under way; locks, too.
static void in_faults(void) {
  touch();
  pthread_testcancel();
}

static void* wait_in(void* argument) {
  const Wait wait = (Wait)(intptr_t)argument;
  pthread_cleanup_push(clean_up, NULL);
  has_begun = 1;
  for (;;) wait();
  pthread_cleanup_pop(0);
  return NULL;
}

static void* wait_for_ever(void* unused) {
  (void)unused;
  for (;;) pause();
}

static void cancel_in(const char* name, Wait wait) {
  for (int round = 0; round < kRounds; round++) {
    pthread_t thread;
    void* result;
    has_begun = cleaned = 0;
    EXPECT(pthread_create(&thread, NULL, wait_in, (void*)(intptr_t)wait) == 0, "pthread_create");
    for (int turn = 0; turn < round * 40 || (round > 0 && !has_begun); turn++) sched_yield();
    if (wait == in_faults) touch();
    EXPECT(pthread_cancel(thread) == 0, "pthread_cancel in %s", name);
    EXPECT(pthread_join(thread, &result) == 0 && result == PTHREAD_CANCELED, "%s, round %d", name,
           round);
    EXPECT(cleaned == has_begun, "%s, round %d: %d times cleaned up", name, round, cleaned);
  }
}

// A thread that does not let itself be cancelled takes what it waits for.
static void* take_uncancelled(void* unused) {
  int state;
  (void)unused;
  pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
  has_begun = 1;
  sem_wait(&semaphore);
  return &semaphore;
}

static void cancel_in_vain(void) {
  pthread_t thread;
  void* result;
  has_begun = 0;
  pthread_create(&thread, NULL, take_uncancelled, NULL);
  while (!has_begun) sched_yield();
  pthread_cancel(thread);
  sem_post(&semaphore);
  EXPECT(pthread_join(thread, &result) == 0 && result == &semaphore, "It was cancelled.");
}

int main(void) {
  int value;
  sem_init(&semaphore, 0, 0);
  mtx_init(&c11_mutex, mtx_plain);
  cnd_init(&c11_condition);
  pthread_create(&one_for_ever, NULL, wait_for_ever, NULL);
  cancel_in("sem_wait", in_semaphore);
  cancel_in("sem_timedwait", in_semaphore_for_a_year);
  cancel_in("pthread_cond_wait", in_condition);
  cancel_in("pthread_cond_timedwait", in_condition_for_a_year);
  cancel_in("cnd_wait", in_c11_condition);
  cancel_in("pthread_join", in_join);
  cancel_in("read", in_read);
  cancel_in("faults", in_faults);
  cancel_in_vain();
  EXPECT(sem_getvalue(&semaphore, &value) == 0 && value == 0, "The semaphore has %d.", value);
  EXPECT(pthread_mutex_trylock(&mutex) == 0, "The mutex is held.");
  EXPECT(mtx_trylock(&c11_mutex) == thrd_success, "The mutex of C11 is held.");
  EXPECT(pthread_cancel(one_for_ever) == 0 && pthread_join(one_for_ever, NULL) == 0,
         "The thread for which others have waited is joined.");
  return ok();
}
