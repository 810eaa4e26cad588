// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that loads others; with MAY_START_THREADS, one that starts on each node.
#include <dlfcn.h>
void* load(const char* file) { return dlopen(file, RTLD_NOW); }

#if defined(MAY_START_THREADS)
#include <pthread.h>
static void* run(void* argument) { return argument; }
volatile int wants_thread;  // never
__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (wants_thread) pthread_create(&thread, 0, run, 0);
}
#endif
