// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// deadlock_threads WHAT: threads of a program without parallel regions that wait for each other for ever.

#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <string.h>

static pthread_mutex_t x = PTHREAD_MUTEX_INITIALIZER, y = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t both, three;
static sem_t semaphore;

static void* take_y_and_x(void* unused) {
  (void)unused;
  pthread_mutex_lock(&y);  // other takes y
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&x);  // other wants x
  return NULL;
}

static void* wait_for_signal(void* unused) {
  (void)unused;
  pthread_mutex_lock(&x);
  pthread_barrier_wait(&both);
  pthread_cond_wait(&condition, &x);  // nobody signals
  return NULL;
}

static void* wait_for_three(void* unused) {
  (void)unused;
  pthread_barrier_wait(&three);  // two of three
  return NULL;
}

int main(int count, char** arguments) {
  const char* const what = count > 1 ? arguments[1] : "";
  pthread_t other;
  pthread_barrier_init(&both, NULL, 2);
  pthread_barrier_init(&three, NULL, 3);
  sem_init(&semaphore, 0, 0);
  if (strcmp(what, "mutexes") == 0) {
    pthread_create(&other, NULL, take_y_and_x, NULL);
    pthread_mutex_lock(&x);  // main takes x
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&y);  // main wants y
  } else if (strcmp(what, "condition") == 0) {
    pthread_create(&other, NULL, wait_for_signal, NULL);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(&x);  // main takes it meanwhile
    pthread_join(other, NULL);  // never ends
  } else if (strcmp(what, "table") == 0) {
    pthread_rwlock_rdlock(&table);
    pthread_rwlock_wrlock(&table);  // read already
  } else if (strcmp(what, "barrier") == 0) {
    pthread_create(&other, NULL, wait_for_three, NULL);
    sem_wait(&semaphore);  // nobody posts
  }
  printf("went on\n");
  return 0;
}
