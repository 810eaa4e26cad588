// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// exit called inside of a region, by the last thread, ends the whole program with its status.
//
// status: 9

#include <omp.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      printf("ok\n");
      exit(9);
    }
    for (;;) pause();
  }
  fail(__FILE__, __LINE__, "The region ended all the same.");
}
