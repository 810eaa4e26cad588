/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Starts itself once more from node 0: the child is no node, and sees nothing of launcher or job but
 * the user's settings.
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char** environ;

int main(int argc, char** argv) {
  if (argc > 1) {
    for (char** each = environ; *each != NULL; each++) {
      if (strncmp(*each, "PMI", 3) == 0 || strncmp(*each, "WEFT_", 5) == 0)
        printf("sees %s\n", *each);
      if (strncmp(*each, "LD_PRELOAD=", 11) == 0) printf("sees %s\n", *each);
    }
    printf("child of one process\n");
    return 0;
  }
  int threads = 0;
#pragma omp parallel reduction(+ : threads)
  threads++;
  printf("%d threads\n", threads);
  fflush(stdout);
  char command[4096];
  snprintf(command, sizeof command, "%s child", argv[0]);
  return system(command);
}
