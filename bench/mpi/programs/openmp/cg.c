// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Conjugate gradients for a sparse matrix of order 14,000.
#include "../cg_matrix.h"

static SparseRow matrix[kOrder];
static double x[kOrder], r[kOrder], p[kOrder], q[kOrder];
static double curvature, square;

static void initialise(void) {
#pragma omp parallel for schedule(static) reduction(+ : square)
  for (int i = 0; i < kOrder; ++i) {
    make_row(&matrix[i], i);
    x[i] = 0;
    r[i] = p[i] = 1 + bench_random((uint64_t)i);
    square += r[i] * r[i];
  }
}

// Called by all threads of the team; each knows the residual. A sum is set to zero in a phase in
// which nobody uses it, which saves a barrier.
static double iterate(double residual) {
#pragma omp master
  square = 0;
#pragma omp for schedule(static) reduction(+ : curvature)
  for (int i = 0; i < kOrder; ++i) {
    q[i] = row_times(&matrix[i], p);
    curvature += p[i] * q[i];
  }
  const double alpha = residual / curvature;
#pragma omp for schedule(static) reduction(+ : square)
  for (int i = 0; i < kOrder; ++i) {
    x[i] += alpha * p[i];
    r[i] -= alpha * q[i];
    square += r[i] * r[i];
  }
  const double new_residual = square, beta = new_residual / residual;
#pragma omp master
  curvature = 0;
#pragma omp for schedule(static)
  for (int i = 0; i < kOrder; ++i) p[i] = r[i] + beta * p[i];
  return new_residual;
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, residual = 0;
  initialise();
  residual = square;
#pragma omp parallel firstprivate(residual)
  for (int k = 0; k < iterations; ++k) {
#pragma omp master
    if (k == iterations / 2) start = bench_clock();
    residual = iterate(residual);
  }
  const double seconds = bench_clock() - start;
  double sum = 0;
  for (int i = 0; i < kOrder; ++i) sum += x[i] * (i % 7 + 1);
  bench_report(iterations, seconds, sum);
}
