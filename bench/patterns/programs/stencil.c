// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A stencil of five points between two arrays whose pointers are swapped.
// Arguments: SIZE STEPS.
#include "pattern.h"

static void step(const double* from, double* to, long n) {
#pragma omp parallel for
  for (long i = 1; i < n - 1; ++i)
    for (long j = 1; j < n - 1; ++j)
      to[i * n + j] = 0.2 * (from[i * n + j] + from[(i - 1) * n + j] + from[(i + 1) * n + j] +
                             from[i * n + j - 1] + from[i * n + j + 1]);
}

static double* run(double* a, double* b, long n, long steps) {
  for (long each = 0; each < steps; ++each) {
    step(a, b, n);
    double* old = a;
    a = b;
    b = old;
  }
  return a;
}

int main(int argc, char** argv) {
  const long n = argument(argc, argv, 1, 1000), steps = argument(argc, argv, 2, 50);
  const size_t bytes = sizeof(double) * (size_t)(n * n);
  double* grids[4];
  for (int each = 0; each < 4; ++each) {
    grids[each] = malloc(bytes);
#pragma omp parallel for
    for (long i = 0; i < n * n; ++i) grids[each][i] = i < n ? 2 : 1;
  }
  (void)run(grids[0], grids[1], n, 2);
  const double start = omp_get_wtime();
  const double* found = run(grids[0], grids[1], n, steps);
  const double seconds = omp_get_wtime() - start;
  omp_set_num_threads(1);
  const double* right = run(grids[2], grids[3], n, steps + 2);
  long same = 0;
  for (long i = 0; i < n * n; ++i) same += found[i] == right[i];
  return finish(seconds, same, n * n);
}
