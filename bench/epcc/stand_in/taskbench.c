// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for EPCC's taskbench.
#include <omp.h>

#include "common.h"

int main(void) {
  const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp task
  {
  }
  print_overhead("PARALLEL TASK", (omp_get_wtime() - start) * 1e6, 0);
  return 0;
}
