/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* idle SECONDS: a region, then a serial part that sleeps for so long, then another region. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static int values[1 << 16];

static long sum_up(void) {
  long sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < 1 << 16; i++) sum += ++values[i];
  return sum;
}

int main(int argc, char** argv) {
  (void)argc;
  if (sum_up() != 1 << 16) return 1;
  printf("working\n");
  fflush(stdout);
  sleep((unsigned)atoi(argv[1]));
  return sum_up() == 2 << 16 ? 0 : 1;
}
