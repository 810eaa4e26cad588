// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Powers of a matrix: B becomes A B, of order 384, again and again.
#include "../bench.h"

enum { kOrder = 384 };
typedef double Matrix[kOrder][kOrder];

static Matrix a, b[2];

static void initialise(void) {
#pragma omp parallel for
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) {
      a[i][j] = 2 * bench_random((uint64_t)(i * kOrder + j)) / kOrder;  // so that sums stay near 1
      b[0][i][j] = bench_random((uint64_t)(j * kOrder + i) + 1000000);
    }
}

static void multiply(Matrix to, Matrix from) {
#pragma omp parallel for
  for (int i = 0; i < kOrder; ++i) {
    for (int j = 0; j < kOrder; ++j) to[i][j] = 0;
    for (int k = 0; k < kOrder; ++k)
      for (int j = 0; j < kOrder; ++j) to[i][j] += a[i][k] * from[k][j];
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    multiply(b[(k + 1) % 2], b[k % 2]);
  }
  const double seconds = bench_clock() - start;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) sum += b[iterations % 2][i][j] * (j % 7 + 1);
  bench_report(iterations, seconds, sum);
}
