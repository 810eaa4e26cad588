// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients for a sparse matrix of order 14,000.
#include "../cg_matrix.h"

static SparseRow matrix[kOrder];
static double x[kOrder], r[kOrder], p[kOrder], q[kOrder];

// Returns the residual.
static double initialise(void) {
  double square = 0;
#pragma omp parallel for reduction(+ : square)
  for (int i = 0; i < kOrder; ++i) {
    make_row(&matrix[i], i);
    x[i] = 0;
    r[i] = p[i] = 1 + bench_random((uint64_t)i);
    square += r[i] * r[i];
  }
  return square;
}

static double iterate(double residual) {
  double curvature = 0, square = 0;
#pragma omp parallel for reduction(+ : curvature)
  for (int i = 0; i < kOrder; ++i) {
    q[i] = row_times(&matrix[i], p);
    curvature += p[i] * q[i];
  }
  const double alpha = residual / curvature;
#pragma omp parallel for reduction(+ : square)
  for (int i = 0; i < kOrder; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    square += r[i] * r[i];
  }
  const double beta = square / residual;
#pragma omp parallel for
  for (int i = 0; i < kOrder; ++i) p[i] = r[i] + beta * p[i];
  return square;
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0, residual = initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    residual = iterate(residual);
  }
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kOrder; ++i) sum += x[i] * (i % 7 + 1);
  bench_report(iterations, seconds, sum);
}
