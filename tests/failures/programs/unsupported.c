// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses what does not work across nodes yet.
#include <stdio.h>

static int big[20000];
#pragma omp threadprivate(big)

int main(void) {
#pragma omp parallel
  {
#pragma omp single copyprivate(big)
    big[0] = 1;
  }
  printf("%d\n", big[0]);
  return 0;
}
