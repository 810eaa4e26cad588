// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The status of the program is the one that main returns, after a region and with memory to free.
//
// status: 37

#include <omp.h>

#include "../check.h"

static void at_the_end(void) {
  printf("ok\n");  // printed last, by an exit handler, once
  fflush(stdout);
}

int main(void) {
  atexit(at_the_end);
  int count = 0;
#pragma omp parallel reduction(+ : count)
  count += 1;
  EXPECT(count == omp_get_max_threads(), "%d threads ran.", count);
  return 37;
}
