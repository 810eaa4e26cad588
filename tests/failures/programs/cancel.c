// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Uses what does not work across nodes yet.
#include <stdio.h>

int main(void) {
#pragma omp parallel
  {
#pragma omp cancel parallel
  }
  printf("cancelled\n");
  return 0;
}
