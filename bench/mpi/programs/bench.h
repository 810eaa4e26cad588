// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every program of this bench shares, whichever way it is parallel: how often to iterate, the
// clock, random numbers, and the line that it prints.
// Usage of every program: NAME ITERATIONS. Timed is the second half of them, so that what happens
// once (first touches, connections, homes finding their place) is over by then.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static inline int bench_iterations(int argc, char** argv) {
  const int iterations = argc > 1 ? atoi(argv[1]) : 10;
  if (argc > 2 || iterations < 2) {
    fprintf(stderr, "usage: %s ITERATIONS (at least 2)\n", argv[0]);
    exit(2);
  }
  return iterations;
}

static inline double bench_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// One line: microseconds an iteration, and a checksum that both versions of a program must agree
// in.
static inline void bench_report(int iterations, double seconds, double checksum) {
  printf("time_us %.3f checksum %.12e\n", seconds * 1e6 / (iterations - iterations / 2), checksum);
}

// A number in [0, 1) that depends on the index alone, so that everybody can make his part.
static inline double bench_random(uint64_t index) {
  uint64_t bits = (index + 1) * 0x9e3779b97f4a7c15u;
  bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9u;
  bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebu;
  return (double)((bits ^ (bits >> 31)) >> 11) * 0x1p-53;
}

static inline void* bench_allocate(size_t bytes) {
  void* memory = aligned_alloc(64, (bytes + 63) / 64 * 64);
  if (!memory) {
    fprintf(stderr, "out of memory\n");
    exit(1);
  }
  return memory;
}
