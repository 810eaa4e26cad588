// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the patterns share: numbers by argument, and two lines at the end, the seconds of the
// pattern itself and "ok" where the result is right.
#pragma once

#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static inline long argument(int argc, char** argv, int index, long otherwise) {
  return argc > index ? atol(argv[index]) : otherwise;
}

static inline int finish(double seconds, long found, long expected) {
  printf("seconds %.6f\n", seconds);
  if (found == expected) {
    printf("ok\n");
    return 0;
  }
  printf("%ld instead of %ld\n", found, expected);
  return 1;
}

// A number that looks like chance, and is the same each time.
static inline uint64_t mixed(uint64_t value) {
  value ^= value >> 33;
  value *= 0xff51afd7ed558ccdULL;
  value ^= value >> 33;
  value *= 0xc4ceb9fe1a85ec53ULL;
  return value ^ (value >> 33);
}
