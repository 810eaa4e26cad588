/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Sends standard output elsewhere, to a file or to a pipe; then every thread prints, in turn. */
#include <omp.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
  if (argc > 1 && strcmp(argv[1], "pipe") == 0) {
    int ends[2];
    if (pipe(ends) != 0 || dup2(ends[1], 1) != 1) return 1;
  } else if (freopen("redirected", "a", stdout) == NULL) {
    return 1;
  }
#pragma omp parallel for ordered schedule(static, 1)
  for (int i = 0; i < 6; i++) {
#pragma omp ordered
    {
      printf("turn %d\n", i);
      fflush(stdout);
    }
  }
  return 0;
}
