// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sweeps in three directions of a grid of five components, as solvers that split by directions
// make: each line forwards and back. Arguments: SIZE STEPS.
#include "pattern.h"

typedef double point[5];

// One line, whose points are `stride` points apart.
static void line(point* first, long count, long stride) {
  for (long i = 1; i < count; ++i)
    for (int m = 0; m < 5; ++m)
      first[i * stride][m] -= 0.25 * first[(i - 1) * stride][m] + 0.01 * first[i * stride][(m + 1) % 5];
  for (long i = count - 2; i >= 0; --i)
    for (int m = 0; m < 5; ++m) first[i * stride][m] -= 0.25 * first[(i + 1) * stride][m];
}

static void step(point* u, long n) {
#pragma omp parallel for
  for (long k = 0; k < n; ++k)
    for (long j = 0; j < n; ++j) line(&u[(k * n + j) * n], n, 1);
#pragma omp parallel for
  for (long k = 0; k < n; ++k)
    for (long i = 0; i < n; ++i) line(&u[k * n * n + i], n, n);
#pragma omp parallel for
  for (long j = 0; j < n; ++j)
    for (long i = 0; i < n; ++i) line(&u[j * n + i], n, n * n);
}

static double sum_of(const point* u, long n) {
  double sum = 0;
  for (long i = 0; i < n * n * n; ++i) sum += u[i][i % 5];
  return sum;
}

int main(int argc, char** argv) {
  const long n = argument(argc, argv, 1, 64), steps = argument(argc, argv, 2, 10);
  point* u = malloc(sizeof *u * (size_t)(n * n * n));
  point* again = malloc(sizeof *u * (size_t)(n * n * n));
#pragma omp parallel for
  for (long i = 0; i < n * n * n; ++i)
    for (int m = 0; m < 5; ++m) u[i][m] = 1 + (double)(i * 5 + m) * 1e-7;
  for (long i = 0; i < n * n * n; ++i)
    for (int m = 0; m < 5; ++m) again[i][m] = 1 + (double)(i * 5 + m) * 1e-7;
  step(u, n);
  const double start = omp_get_wtime();
  for (long each = 1; each < steps; ++each) step(u, n);
  const double seconds = omp_get_wtime() - start;
  omp_set_num_threads(1);
  for (long each = 0; each < steps; ++each) step(again, n);
  return finish(seconds, sum_of(u, n) == sum_of(again, n), 1);
}
