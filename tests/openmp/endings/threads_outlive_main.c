// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -pthread
//
// main ends by pthread_exit while its threads are on all nodes, and make others: the program goes
// on until the last one has ended, and its exit handlers see what they have written.

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <weft/weft.h>

#include "../check.h"

enum { kDepth = 5 };

static atomic_int main_has_ended;
static int written[64][1 << kDepth];
static int threads;

static void at_end(void) {
  for (int t = 0; t < threads; ++t) {
    for (int i = 1; i < 1 << kDepth; ++i) EXPECT(written[t][i] == t + i, "%d of %d", i, t);
  }
  ok();
}

static void note_end(void* unused) {
  (void)unused;
  main_has_ended = 1;
}

// A thread of each family is in its tree at i, and has the children 2 i and 2 i + 1.
static void* go_on(void* argument) {
  const intptr_t family = (intptr_t)argument >> 16, i = (intptr_t)argument & 0xffff;
  while (main_has_ended == 0) sched_yield();
  for (intptr_t child = 2 * i; child < 1 << kDepth && child <= 2 * i + 1; ++child) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, go_on, (void*)(family << 16 | child)) == 0, "a child");
    pthread_detach(thread);
  }
  written[family][i] = (int)(family + i);
  return NULL;
}

int main(void) {
  atexit(at_end);
  threads = 2 * weft_nodes();
  pthread_key_t key;
  pthread_key_create(&key, note_end);
  pthread_setspecific(key, &key);
  for (intptr_t t = 0; t < threads; ++t) {
    pthread_t thread;
    EXPECT(pthread_create(&thread, NULL, go_on, (void*)(t << 16 | 1)) == 0, "pthread_create");
    pthread_detach(thread);
  }
  pthread_exit(NULL);
}
