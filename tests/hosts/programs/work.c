/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Works until it is ended: says "working" once all threads do; with "status N", ends with that status instead; with
   "copy", copies its input; with "until FILE", ends when there is such a file. */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static double values[1 << 15];

int main(int argc, char** argv) {
  if (argc > 2 && strcmp(argv[1], "status") == 0) return atoi(argv[2]);
  if (argc > 1 && strcmp(argv[1], "copy") == 0) {
    for (int letter; (letter = getchar()) != EOF;) putchar(letter);
    return 0;
  }
  const char* until = argc > 2 && strcmp(argv[1], "until") == 0 ? argv[2] : "";
  int stop = 0;
#pragma omp parallel
  for (long round = 0; round < 1000000000; round++) {
#pragma omp for
    for (int i = 0; i < 1 << 15; i++) values[i] += (double)(round % 7);
#pragma omp single
    {
      if (round == 3) {
        printf("working\n");
        fflush(stdout);
      }
      stop = *until != 0 && access(until, F_OK) == 0;
    }
    if (stop) break;
  }
  return 0;
}
