/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Every thread says on which host it runs; the sum over shared memory is checked. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { kCount = 1 << 16 };
static long numbers[kCount];
static char hosts[64][64];

int main(void) {
  long sum = 0;
  int threads = 0;
#pragma omp parallel
  {
    char here[64] = "";
    gethostname(here, sizeof here - 1);
    strcpy(hosts[omp_get_thread_num()], here);
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for
    for (long i = 0; i < kCount; i++) numbers[i] = i;
#pragma omp for reduction(+ : sum)
    for (long i = 0; i < kCount; i++) sum += numbers[kCount - 1 - i];
  }
  for (int i = 0; i < threads; i++) printf("thread %d on %s\n", i, hosts[i]);
  printf("sum %ld\n", sum);
  return sum == (long)kCount * (kCount - 1) / 2 ? 0 : 1;
}
