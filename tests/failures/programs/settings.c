// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A library that keeps a setting, and whose constructor might make threads.
#include <pthread.h>

int settings_level = 1;
volatile int wants_thread;  // never

static void* run(void* argument) { return argument; }

__attribute__((constructor)) static void start(void) {
  pthread_t thread;
  if (wants_thread) pthread_create(&thread, 0, run, 0);
}

void set_level(int level) { settings_level = level; }
int get_level(void) { return settings_level; }
