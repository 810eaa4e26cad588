// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread -D_GNU_SOURCE
//
// A signal's handler ends a wait for a semaphore, on any node, unless its action has SA_RESTART.
// Other waits go on, and so does the program. Handlers may post semaphores.

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "../check.h"

enum { kThreads = 4 };

static sem_t semaphores[kThreads];
static atomic_int ready, ended, handled;

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void handle_by(int flags) {
  struct sigaction action = {.sa_handler = handle, .sa_flags = flags};
  sigemptyset(&action.sa_mask);
  EXPECT(sigaction(SIGUSR1, &action, NULL) == 0, "sigaction");
}

static void* wait(void* semaphore) {
  atomic_fetch_add(&ready, 1);
  EXPECT(sem_wait(semaphore) == -1 && errno == EINTR, "sem_wait: %d", errno);
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec += 1000;
  atomic_fetch_add(&ready, 1);
  EXPECT(sem_timedwait(semaphore, &until) == -1 && errno == EINTR, "sem_timedwait: %d", errno);
  atomic_fetch_add(&ended, 1);
  return NULL;
}

static void* wait_on(void* semaphore) {
  atomic_fetch_add(&ready, 1);
  EXPECT(sem_wait(semaphore) == 0, "sem_wait: %d", errno);
  atomic_fetch_add(&ended, 1);
  return NULL;
}

static void begin(pthread_t* threads, void* (*function)(void*)) {
  ready = ended = handled = 0;
  for (int i = 0; i < kThreads; ++i)
    EXPECT(pthread_create(&threads[i], NULL, function, &semaphores[i]) == 0, "no thread");
}

// Whenever it comes, the next one finds the thread in the call.
static void signal_all(const pthread_t* threads) {
  for (int i = 0; i < kThreads; ++i) pthread_kill(threads[i], SIGUSR1);
  usleep(2000);
}

// Handlers post what the thread that they interrupt looks at.
static sem_t polled;
static void post(int number) {
  (void)number;
  sem_post(&polled);
}

static void* poll_for_posts(void* none) {
  enum { kPosts = 100 };
  for (int found = 0; found < kPosts;) {
    if (sem_trywait(&polled) == 0) ++found;
    int value = 0;
    EXPECT(sem_getvalue(&polled, &value) == 0 && value >= 0, "sem_getvalue");
  }
  atomic_fetch_add(&ended, 1);
  return none;
}

static void posted_by_handlers(void) {
  pthread_t thread;
  ended = 0;
  sem_init(&polled, 0, 0);
  struct sigaction action = {.sa_handler = post};
  sigemptyset(&action.sa_mask);
  EXPECT(sigaction(SIGUSR2, &action, NULL) == 0, "sigaction");
  EXPECT(pthread_create(&thread, NULL, poll_for_posts, NULL) == 0, "no thread");
  while (ended == 0) {
    pthread_kill(thread, SIGUSR2);
    usleep(100);
  }
  pthread_join(thread, NULL);
}

int main(void) {
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i) sem_init(&semaphores[i], 0, 0);

  handle_by(0);
  begin(threads, wait);
  while (ended < kThreads) signal_all(threads);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  EXPECT(ready == 2 * kThreads && handled >= 2 * kThreads, "%d, %d", ready, handled);

  handle_by(SA_RESTART);
  begin(threads, wait_on);
  while (handled < 10 * kThreads) signal_all(threads);
  EXPECT(ended == 0, "%d threads did not wait on.", ended);
  for (int i = 0; i < kThreads; ++i) sem_post(&semaphores[i]);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  EXPECT(ended == kThreads, "%d threads have ended.", ended);
  posted_by_handlers();
  return ok();
}
