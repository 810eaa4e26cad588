// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Patterns of threads that the program makes itself: the main thread and one more.
#pragma once

#include <pthread.h>
#include <time.h>

#include "pattern.h"

static inline double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// On two threads at once, numbers 0 and 1; returns the seconds that it has taken.
static inline double run_on_two(void* (*work)(void* number)) {
  const double begin = seconds_now();
  pthread_t other;
  pthread_create(&other, NULL, work, (void*)1);
  work((void*)0);
  pthread_join(other, NULL);
  return seconds_now() - begin;
}
