// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <omp.h>
#include <stdio.h>

#ifndef GREETING
#define GREETING "hello"
#endif
int other(void);

int main(void) {
#ifdef WITH_OTHER
  printf("other %d\n", other());
#endif
  int threads = 0;
#pragma omp parallel
#pragma omp atomic
  threads += 1;
  printf("%s %d threads\n", GREETING, threads);
  return threads == 0;
}
