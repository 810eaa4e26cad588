// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that wait for each other for ever, each in another way: deadlock HOW [FIRST SECOND]
#include <omp.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static omp_lock_t x, y;
static int counted, started;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static sem_t semaphore;

static void opposite_locks(int first, int second) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    if (thread == first) omp_set_lock(&x);   // first takes x
    if (thread == second) omp_set_lock(&y);  // second takes y
#pragma omp barrier
    if (thread == first) omp_set_lock(&y);   // first wants y
    if (thread == second) omp_set_lock(&x);  // second wants x
  }
}

static void missed_barrier(int holder, int late) {
#pragma omp parallel
  {
    const int thread = omp_get_thread_num();
    if (thread == holder) omp_set_lock(&x);  // holder takes x
#pragma omp barrier
    if (thread == late) {
      omp_set_lock(&x);  // late wants x
      ++counted;
    }
#pragma omp barrier  // the others wait
    if (thread == holder) omp_unset_lock(&x);
  }
}

static void critical_in_critical(void) {
#pragma omp parallel
  {
    if (omp_get_thread_num() == 0) {
#pragma omp critical(outer)  // takes outer
      {
#pragma omp atomic write
        started = 1;
#pragma omp critical(inner)
        ++counted;
        omp_set_lock(&x);
        omp_set_lock(&x);  // wants x again
      }
    }
    for (int seen = 0; seen == 0;) {
#pragma omp atomic read
      seen = started;
    }
#pragma omp critical(outer)  // wants outer
    ++counted;
  }
}

static void* wait_for_semaphore(void* unused) {
  sem_wait(&semaphore);  // nobody posts
  return unused;
}

int main(int argc, char** argv) {
  const char* how = argv[1];
  const int first = argc > 2 ? atoi(argv[2]) : 0, second = argc > 3 ? atoi(argv[3]) : 0;
  omp_init_lock(&x);
  omp_init_lock(&y);
  sem_init(&semaphore, 0, 0);
  if (strcmp(how, "locks") == 0) opposite_locks(first, second);
  if (strcmp(how, "barrier") == 0) missed_barrier(first, second);
  if (strcmp(how, "critical") == 0) critical_in_critical();
  if (strcmp(how, "mutex") == 0) {
    pthread_mutex_lock(&mutex);  // takes the mutex
    pthread_mutex_lock(&mutex);  // wants it again
  }
  if (strcmp(how, "condition") == 0) {
    pthread_cond_signal(&condition);  // before anybody waits
    pthread_mutex_lock(&mutex);
    pthread_cond_wait(&condition, &mutex);  // too late
  }
  if (strcmp(how, "thread") == 0) {
    pthread_t thread;
    pthread_create(&thread, NULL, wait_for_semaphore, NULL);
    pthread_join(thread, NULL);  // never ends
  }
  puts("went on");
  return 0;
}
