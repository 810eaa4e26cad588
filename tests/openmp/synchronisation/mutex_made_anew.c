// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// A mutex that is initialised where a locked one was is free, as in one process: memory that is
// freed with a locked mutex, a pool that initialises its objects again. A locked one cannot be
// destroyed.
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <threads.h>

#include "../check.h"

static pthread_mutex_t mutex;
static pthread_spinlock_t spin;
static mtx_t c11_mutex;

static void* lock_all(void* unused) {
  pthread_mutexattr_t recursive;
  pthread_mutexattr_init(&recursive);
  pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&mutex, &recursive);
  pthread_mutex_lock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_spin_lock(&spin);
  mtx_lock(&c11_mutex);
  return unused;
}

static int in_reused_memory(void) {
  pthread_mutex_t* first = malloc(sizeof *first);
  pthread_mutex_init(first, NULL);
  pthread_mutex_lock(first);
  free(first);
  pthread_mutex_t* second = malloc(sizeof *second);
  pthread_mutex_init(second, NULL);
  const int error = pthread_mutex_trylock(second);
  if (error == 0) pthread_mutex_unlock(second);
  free(second);
  return error;
}

int main(void) {
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  mtx_init(&c11_mutex, mtx_plain);
  lock_all(NULL);
  EXPECT(pthread_mutex_destroy(&mutex) == EBUSY, "a locked mutex was destroyed");
  EXPECT(pthread_mutex_trylock(&mutex) == 0, "its holder lost it");

  pthread_mutex_init(&mutex, NULL);
  EXPECT(pthread_mutex_destroy(&mutex) == 0, "one that was made anew is locked");
  pthread_spin_init(&spin, PTHREAD_PROCESS_PRIVATE);
  mtx_init(&c11_mutex, mtx_plain);
  EXPECT(in_reused_memory() == 0, "one in memory of one that was locked is locked");

  pthread_t thread;  // which ends, and leaves them locked
  pthread_create(&thread, NULL, lock_all, NULL);
  pthread_join(thread, NULL);
  return ok();
}
