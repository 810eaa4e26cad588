// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// flags: -D_GNU_SOURCE
//
// The system call exit_group, made inside of a region by the last thread, ends the whole program.

#include <omp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../check.h"

int main(void) {
#pragma omp parallel
  {
#pragma omp barrier
    if (omp_get_thread_num() == omp_get_num_threads() - 1) {
      printf("ok\n");
      fflush(stdout);
      syscall(SYS_exit_group, 0);
    }
    for (;;) pause();
  }
  fail(__FILE__, __LINE__, "The region ended all the same.");
}
