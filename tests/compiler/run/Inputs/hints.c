// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A guess of a variable's value is right on each node. A region that only reads a variable gets a
// copy of it there, which is no shared memory.
#include <omp.h>
#include <stdint.h>
#include <stdio.h>

// That it captures nothing lets the region have a copy.
uint64_t __weft_hint_load(const void* __attribute__((noescape)) p, uint32_t bytes)
    __attribute__((pure));

static long shared[100];

int main(int argc, char** argv) {
  (void)argv;
  long n = 41 + argc, wrong = 0, threads = 0;
  shared[7] = 9;
#pragma omp parallel reduction(+ : wrong, threads)
  {
    threads++;
    if (omp_get_thread_num() < 0) printf("%ld\n", n);
    wrong += __weft_hint_load(&n, sizeof n) != 42;
    wrong += __weft_hint_load(&shared[7], sizeof n) != 9;
    wrong += __weft_hint_load((const void*)64, sizeof n) != 0;
    wrong += __weft_hint_load((const void*)0x600000000000, sizeof n) != 0;
  }
  printf("threads %ld wrong %ld\n", threads, wrong);
  return 0;
}
