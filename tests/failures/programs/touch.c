// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// touch MIB [SHIFT [TIMES]]: writes MIB MiB in parallel, each thread its part, then reads
// everything back and checks it. With SHIFT, each thread reads the part of the thread SHIFT further
// on, so that all of it moves between nodes. With TIMES, the first thread before that writes all of
// it anew so often, each time between two barriers.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t expected(uint64_t index) { return index * 0x9e3779b97f4a7c15u + 1; }

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const uint64_t count = strtoull(argv[1], NULL, 10) * (1 << 20) / sizeof(uint64_t);
  const int shift = argc > 2 ? atoi(argv[2]) : 0;
  uint64_t* values = malloc(count * sizeof *values);
  if (values == NULL) return 3;
  const int times = argc > 3 ? atoi(argv[3]) : 0;
  uint64_t wrong = 0;
#pragma omp parallel reduction(+ : wrong)
  {
    const uint64_t threads = (uint64_t)omp_get_num_threads();
    const uint64_t mine = (uint64_t)omp_get_thread_num();
    const uint64_t theirs = (mine + (uint64_t)shift) % threads;
    for (uint64_t i = count * mine / threads; i < count * (mine + 1) / threads; ++i) {
      values[i] = expected(i);
    }
#pragma omp barrier
    for (int time = 0; time < times; ++time) {
      if (mine == 0) {
        for (uint64_t i = 0; i < count; ++i) values[i] += expected(i) * (uint64_t)(i % 3 + 1);
      }
#pragma omp barrier
    }
    for (uint64_t i = count * theirs / threads; i < count * (theirs + 1) / threads; ++i) {
      if (values[i] != expected(i) * (1 + (uint64_t)times * (i % 3 + 1))) ++wrong;
    }
  }
  if (wrong != 0) {
    printf("%llu values are wrong\n", (unsigned long long)wrong);
    return 1;
  }
  printf("ok\n");
  return 0;
}
