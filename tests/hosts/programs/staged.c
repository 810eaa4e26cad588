/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Says what it finds itself to be on each host, and uses a library of its own (staged_library.c).
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int staged_answer(void);

int main(int argc, char** argv) {
  printf("name %s\n", argv[0]);
#pragma omp parallel for ordered schedule(static, 1)
  for (int turn = 0; turn < omp_get_max_threads(); ++turn) {
#pragma omp ordered
    {
      char host[64] = "", file[4096] = "";
      gethostname(host, sizeof host - 1);
      if (readlink("/proc/self/exe", file, sizeof file - 1) < 0) perror("readlink");
      printf("%s runs %s: %d\n", host, file, staged_answer());
      fflush(stdout);
    }
  }
  if (argc > 1 && strcmp(argv[1], "copy") == 0) {
    for (int byte; (byte = getchar()) != EOF;) putchar(byte);
  }
  return argc > 2 ? atoi(argv[2]) : 0;
}
