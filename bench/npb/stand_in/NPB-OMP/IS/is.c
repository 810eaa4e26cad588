// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stands in for NPB's IS. With three threads it is wrong.
#include <omp.h>
#include <stdio.h>

static int keys[100000];

int main(void) {
  const double start = omp_get_wtime();
  int threads = 0;
#pragma omp parallel
  {
#pragma omp single
    threads = omp_get_num_threads();
#pragma omp for
    for (int each = 0; each < 100000; ++each) keys[each] = each;
  }
  printf(" Time in seconds =  %20.2f\n", omp_get_wtime() - start + 0.01);
  printf(" Verification    =  %20s\n",
         keys[99999] == 99999 && threads != 3 ? "SUCCESSFUL" : "UNSUCCESSFUL");
  return 0;
}
