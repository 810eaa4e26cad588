// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for EPCC's syncbench: three constructs, one of them with a negative overhead, as chance
// has it.
#include <omp.h>
#include <stdio.h>

#include "common.h"

int main(void) {
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads += 1;
  if (threads != 2) {
    fprintf(stderr, "syncbench: %d threads, not 2\n", threads);
    return 1;
  }
  double start = omp_get_wtime();
#pragma omp parallel
  {
  }
  print_overhead("PARALLEL", (omp_get_wtime() - start) * 1e6, 0);
  start = omp_get_wtime();
#pragma omp parallel
  {
#pragma omp barrier
  }
  print_overhead("BARRIER", (omp_get_wtime() - start) * 1e6, 0);
  print_overhead("LOCK/UNLOCK", 0.5, 0.75);
  return 0;
}
