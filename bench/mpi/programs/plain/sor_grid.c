// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Red-black successive over-relaxation on a grid of 2000 x 1000: all points in one grid, every
// second one in a sweep. Two columns at each side are the boundary.
#include "../bench.h"

enum { kRows = 2000, kColumns = 1000 };
static const double kOmega = 1.5;

static double grid[kRows + 2][kColumns];

static void initialise(void) {
#pragma omp parallel for
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      grid[i][j] = bench_random((uint64_t)(i * (kColumns / 2) + j / 2));
  for (int j = 0; j < kColumns; ++j) grid[0][j] = 1;
}

static void sweep(int colour) {
#pragma omp parallel for
  for (int i = 1; i <= kRows; ++i)
    for (int j = 2 + (i + colour) % 2; j < kColumns - 2; j += 2)
      grid[i][j] +=
          kOmega *
          (0.25 * (grid[i - 1][j] + grid[i + 1][j] + grid[i][j - 1] + grid[i][j + 1]) - grid[i][j]);
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    sweep(0);
    sweep(1);
  }
  const double seconds = bench_clock() - start;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 1; i <= kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      sum += ((i + j) % 2 == 0 ? grid[i][j] : -2 * grid[i][j]) * (j / 2 % 7 + 1);
  bench_report(iterations, seconds, sum);
}
