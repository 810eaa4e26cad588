// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Jacobi's method for Laplace's equation on a grid of 2000 x 1000, in two grids.
#include "../bench.h"

enum { kRows = 2000, kColumns = 1000 };
typedef double Grid[kRows + 2][kColumns];

static Grid grids[2];

static void initialise(void) {
#pragma omp parallel for
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      grids[0][i][j] = grids[1][i][j] = bench_random((uint64_t)(i * kColumns + j));
  for (int j = 0; j < kColumns; ++j) grids[0][0][j] = grids[1][0][j] = 1;
}

static double checksum(Grid grid) {
  double sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kColumns; ++j) sum += grid[i][j] * (j % 7 + 1);
  return sum;
}

static void sweep(Grid to, Grid from) {
#pragma omp parallel for
  for (int i = 1; i <= kRows; ++i)
    for (int j = 1; j < kColumns - 1; ++j)
      to[i][j] = 0.25 * (from[i - 1][j] + from[i + 1][j] + from[i][j - 1] + from[i][j + 1]);
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    sweep(grids[(k + 1) % 2], grids[k % 2]);
  }
  const double seconds = bench_clock() - start;
  bench_report(iterations, seconds, checksum(grids[iterations % 2]));
}
