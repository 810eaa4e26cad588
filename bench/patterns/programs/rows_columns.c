// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a matrix, then its columns: each is a running sum, so it is one thread's. Arguments: SIZE
// STEPS.
#include "pattern.h"

static void step(double* a, long n) {
#pragma omp parallel for
  for (long i = 0; i < n; ++i)
    for (long j = 1; j < n; ++j) a[i * n + j] = 0.5 * (a[i * n + j] + a[i * n + j - 1]);
#pragma omp parallel
  {
    // A thread's columns side by side.
    const long threads = omp_get_num_threads(), thread = omp_get_thread_num();
    const long from = n * thread / threads, to = n * (thread + 1) / threads;
    for (long i = 1; i < n; ++i)
      for (long j = from; j < to; ++j) a[i * n + j] = 0.5 * (a[i * n + j] + a[(i - 1) * n + j]);
  }
}

int main(int argc, char** argv) {
  const long n = argument(argc, argv, 1, 1000), steps = argument(argc, argv, 2, 20);
  double* a = malloc(sizeof *a * (size_t)(n * n));
  double* again = malloc(sizeof *a * (size_t)(n * n));
#pragma omp parallel for
  for (long i = 0; i < n * n; ++i) a[i] = (double)(mixed((uint64_t)i) % 1000);
  for (long i = 0; i < n * n; ++i) again[i] = (double)(mixed((uint64_t)i) % 1000);
  step(a, n);
  const double start = omp_get_wtime();
  for (long each = 1; each < steps; ++each) step(a, n);
  const double seconds = omp_get_wtime() - start;
  omp_set_num_threads(1);
  for (long each = 0; each < steps; ++each) step(again, n);
  long same = 0;
  for (long i = 0; i < n * n; ++i) same += a[i] == again[i];
  return finish(seconds, same, n * n);
}
