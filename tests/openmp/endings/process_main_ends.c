// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// main ends by pthread_exit: the program goes on until its last thread has ended, and its exit
// handlers run then. (After a parallel region it would go on for ever: libomp's threads stay.)

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#include "../check.h"

static atomic_int main_has_ended = 0, done = 0;

static void at_end(void) {
  EXPECT(done == 1, "the thread has not ended");
  ok();
}

static void note_end(void* unused) {
  (void)unused;
  main_has_ended = 1;
}

static void* go_on(void* unused) {
  while (main_has_ended == 0) sched_yield();
  done = 1;
  return unused;
}

int main(void) {
  atexit(at_end);
  pthread_key_t key;
  pthread_key_create(&key, note_end);
  pthread_setspecific(key, &key);
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, go_on, NULL) == 0, "pthread_create");
  pthread_exit(NULL);
}
