/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Says so in the first line of main, and ends. */
#include <stdio.h>

int main(void) {
  printf("main\n");
  fflush(stdout);
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  printf("all %d\n", threads);
  return 0;
}
