// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Computing between operations: a number of turns of a loop that needs nothing but a register, so
// it is the same work each time, and takes longer where something takes its processor away. No
// clock, no sleep.
#pragma once

#include <time.h>

static inline double now_us(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec * 1e6 + (double)now.tv_nsec * 1e-3;
}

static inline void spin(unsigned long turns) {
  unsigned long value = turns;
  for (unsigned long i = 0; i < turns; ++i) {
    value = value * 6364136223846793005UL + 1442695040888963407UL;
#if defined(__GNUC__)
    __asm__ volatile("" : "+r"(value));  // or the compiler would leave the loop out
#endif
  }
}

// Turns that take a microsecond: of the fastest of some tries. All threads of a job do this at the
// same time, since processors may share what computes.
static inline unsigned long turns_in_a_microsecond(void) {
  enum { kTurns = 500000, kTries = 10 };
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const double start = now_us();
    spin(kTurns);
    const double took = now_us() - start;
    if (took < best) best = took;
  }
  return (unsigned long)(kTurns / best);
}

// What so many turns take where nothing disturbs them: of the fastest of some tries, for the same
// reason on all threads at once. What an operation costs is counted from there.
static inline double undisturbed_us(unsigned long turns) {
  enum { kSpins = 20, kTries = 20 };
  double best = 1e9;
  for (int i = 0; i < kTries; ++i) {
    const double start = now_us();
    for (int k = 0; k < kSpins; ++k) spin(turns);
    const double took = (now_us() - start) / kSpins;
    if (took < best) best = took;
  }
  return turns == 0 ? 0 : best;
}
