// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The last thread looks into a FILE that the main thread opened, by a function that is inlined.
#include <omp.h>
#include <stdio.h>

int main(void) {
  FILE* const file = fopen("/proc/self/comm", "r");
  int character = 0;
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) character = getc_unlocked(file);
  return character == EOF;
}
