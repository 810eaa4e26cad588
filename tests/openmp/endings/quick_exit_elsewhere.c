// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// quick_exit called inside of a region, by the last thread, runs what main has registered for it
// and ends the whole program.

#include <omp.h>
#include <unistd.h>

#include "../check.h"

static void at_end(void) {
  ok();
  fflush(stdout);
}

int main(void) {
  EXPECT(at_quick_exit(at_end) == 0, "at_quick_exit");
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) quick_exit(0);
    for (;;) pause();
  }
  fail(__FILE__, __LINE__, "The region ended all the same.");
}
