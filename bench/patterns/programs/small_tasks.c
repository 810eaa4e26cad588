// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Many small tasks, made by one thread. Arguments: TASKS.
#include "pattern.h"

int main(int argc, char** argv) {
  const long tasks = argument(argc, argv, 1, 4000000);
  uint64_t* results = malloc(sizeof *results * (size_t)tasks);
  const double start = omp_get_wtime();
#pragma omp parallel
#pragma omp single
  for (long i = 0; i < tasks; ++i) {
#pragma omp task firstprivate(i)
    results[i] = mixed((uint64_t)i);
  }
  const double seconds = omp_get_wtime() - start;
  long wrong = 0;
  for (long i = 0; i < tasks; ++i) wrong += results[i] != mixed((uint64_t)i);
  free(results);
  return finish(seconds, wrong, 0);
}
