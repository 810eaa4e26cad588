// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What was printed before a barrier comes before what is printed after it, in whole lines. The
// order is checked by whoever reads the output.

#include <omp.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
  for (int phase = 0; phase < 12; ++phase) {
    printf("phase %d thread %d\n", phase, omp_get_thread_num());
#pragma omp barrier
  }
  return ok();
}
