// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sets what a library keeps, which is each node's own: "main" in main, "all" on every thread.
#include <omp.h>
#include <stdio.h>
#include <string.h>

void set_level(int level);
int get_level(void);

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const int in_main = strcmp(argv[1], "main") == 0;
  if (in_main) set_level(7);
  int levels[64] = {0};
#pragma omp parallel num_threads(omp_get_max_threads())
  {
    if (!in_main) set_level(7);
    levels[omp_get_thread_num()] = get_level();
  }
  for (int i = 0; i < omp_get_max_threads(); ++i) printf("%d ", levels[i]);
  puts("levels");
  return 0;
}
