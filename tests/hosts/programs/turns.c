/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Threads print in turn, a part of a line at a time and whole lines: the output is that of one process. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 20;
#pragma omp parallel
  for (int round = 0; round < rounds; round++) {
    for (int turn = 0; turn < omp_get_num_threads(); turn++) {
      if (turn == omp_get_thread_num()) {
        printf("round %d thread %d\n", round, turn);
        fflush(stdout);
      }
#pragma omp barrier
    }
  }
  return 0;
}
