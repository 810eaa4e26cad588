// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counting sort that scatters: each thread counts its keys, and puts each at its place in the
// other array. Arguments: KEYS VALUES STEPS.
#include <string.h>

#include "pattern.h"

static void sort(const int* keys, int* sorted, long* places, long count, long values) {
#pragma omp parallel
  {
    const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
    long* mine = &places[thread * values];
    memset(mine, 0, sizeof *mine * (size_t)values);
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i) ++mine[keys[i]];
#pragma omp single
    for (long value = 0, at = 0; value < values; ++value) {
      for (long each = 0; each < threads; ++each) {
        const long here = places[each * values + value];
        places[each * values + value] = at;
        at += here;
      }
    }
#pragma omp for schedule(static)
    for (long i = 0; i < count; ++i) sorted[mine[keys[i]]++] = keys[i];
  }
}

int main(int argc, char** argv) {
  const long count = argument(argc, argv, 1, 1000000), values = argument(argc, argv, 2, 1000),
             steps = argument(argc, argv, 3, 10);
  int* keys = malloc(sizeof *keys * (size_t)count);
  int* sorted = malloc(sizeof *keys * (size_t)count);
  long* places = malloc(sizeof *places * (size_t)(values * omp_get_max_threads()));
#pragma omp parallel for
  for (long i = 0; i < count; ++i) keys[i] = (int)(mixed((uint64_t)i) % (uint64_t)values);
  sort(keys, sorted, places, count, values);
  const double start = omp_get_wtime();
  for (long each = 1; each < steps; ++each) sort(keys, sorted, places, count, values);
  const double seconds = omp_get_wtime() - start;
  long wrong = 0, sum = 0;
  for (long i = 0; i < count; ++i) {
    wrong += i > 0 && sorted[i] < sorted[i - 1];
    sum += sorted[i] - keys[i];
  }
  return finish(seconds, wrong + sum, 0);
}
