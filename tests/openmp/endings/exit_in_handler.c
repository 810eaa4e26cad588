// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// _exit called by a handler of a signal, which the last thread of a region raises, ends the whole
// program.

#include <omp.h>
#include <signal.h>
#include <unistd.h>

#include "../check.h"

static void end(int number) {
  (void)number;
  _exit(write(STDOUT_FILENO, "ok\n", 3) == 3 ? 0 : 2);
}

int main(void) {
  signal(SIGUSR1, end);
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) raise(SIGUSR1);
    for (;;) pause();
  }
  fail(__FILE__, __LINE__, "The region ended all the same.");
}
