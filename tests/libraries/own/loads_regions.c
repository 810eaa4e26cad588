// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A program without parallel regions stays on node 0, and compiled code goes by that. A library
// with regions that it loads stays there, too, while a thread of the program's goes on beside them.
//
// plugins: regions.c
// flags: -pthread
// environment: WEFT_SPREAD=auto
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>

#include "../../openmp/check.h"

enum { kTurns = 20 };

static atomic_int is_over;
static atomic_long counted;

static void* count(void* argument) {
  long mine = 0;
  for (; !is_over; ++mine) atomic_fetch_add_explicit(&counted, 1, memory_order_relaxed);
  *(long*)argument = mine;
  return NULL;
}

int main(int argc, char** argv) {
  EXPECT(argc == 2, "Where is the library?");
  static long mine;
  pthread_t thread;
  EXPECT(pthread_create(&thread, NULL, count, &mine) == 0, "No thread can be made.");
  char file[4096];
  snprintf(file, sizeof file, "%s/libregions.so", argv[1]);
  void* const library = dlopen(file, RTLD_NOW);
  EXPECT(library != NULL, "It cannot be loaded: %s", dlerror());
  for (int turn = 0; turn < kTurns; ++turn) {
    for (const char** name = (const char*[]){"default_threads", "most_threads", NULL}; *name;
         ++name) {
      int (*const run)(void) = (int (*)(void))dlsym(library, *name);
      EXPECT(run != NULL && run() == 1, "%s failed in turn %d.", *name, turn);
      counted += 1;
    }
  }
  is_over = 1;
  EXPECT(pthread_join(thread, NULL) == 0, "It cannot be joined.");
  EXPECT(counted == mine + 2 * kTurns, "%ld were counted, not %ld.", (long)counted,
         mine + 2 * kTurns);
  return ok();
}
