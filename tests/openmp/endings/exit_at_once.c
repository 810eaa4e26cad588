// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _exit called inside of a region, by the last thread, ends the whole program with its status, also
// if that is 0. No handlers run, and what is still in a stream is lost.

#include <omp.h>
#include <unistd.h>

#include "../check.h"

static void never(void) { fail(__FILE__, __LINE__, "A handler of exit runs at _exit."); }

int main(void) {
  atexit(never);
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      printf("ok\n");
      fflush(stdout);
      printf("never written\n");
      _exit(0);
    }
    for (;;) pause();
  }
  fail(__FILE__, __LINE__, "The region ended all the same.");
}
