// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A thread is cancelled, on the node on which it has started: Weft moves no threads in such a
// program.
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static sem_t has_begun;

static void* wait_to_be_cancelled(void* unused) {
  sem_post(&has_begun);
  for (;;) pthread_testcancel();
  return unused;
}

int main(void) {
  pthread_t thread;
  void* result = NULL;
  sem_init(&has_begun, 0, 0);
  pthread_create(&thread, NULL, wait_to_be_cancelled, NULL);
  sem_wait(&has_begun);
  pthread_cancel(thread);
  pthread_join(thread, &result);
  puts(result == PTHREAD_CANCELED ? "ok" : "not cancelled");
  return 0;
}
