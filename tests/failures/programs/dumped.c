// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dumped KIND: the job's last thread crashes, by "null" or "abort". Its node has a text on the heap that a debugger would
// look for.
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char* volatile text;

int main(int argc, char** argv) {
  if (argc != 2) return 2;
#pragma omp parallel
  if (omp_get_thread_num() == omp_get_num_threads() - 1) {
    text = malloc(64);
    snprintf(text, 64, "the answer is %d", omp_get_num_threads() * 1000 + 234);
    if (strcmp(argv[1], "abort") == 0) abort();
    volatile int* volatile nowhere = NULL;  // so that the compiler cannot know it
    *nowhere = 1;
  }
  return 0;
}
