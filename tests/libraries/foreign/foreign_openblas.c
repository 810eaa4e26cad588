// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenBLAS and its LAPACK: each thread multiplies blocks and solves systems in shared memory; factors
// that one node has computed are used on another.
// links: -llapacke -lopenblas -lm
// flags: -I/usr/include/x86_64-linux-gnu/openblas-pthread
#include <cblas.h>
#include <lapacke.h>
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

enum { kSystems = 6, kSize = 120 };

static double at(int system, int i, int j) {
  return i == j ? 10 + system : sin(system + i * 0.7 + j * 0.3) / kSize;
}

int main(void) {
  double* matrices = malloc(sizeof(double) * kSystems * kSize * kSize);
  double* products = malloc(sizeof(double) * kSystems * kSize * kSize);
  lapack_int* pivots = malloc(sizeof(lapack_int) * kSystems * kSize);
  int failures = 0;
#pragma omp parallel for schedule(static, 1) reduction(+ : failures)
  for (int s = 0; s < kSystems; ++s) {
    double *a = matrices + s * kSize * kSize, *c = products + s * kSize * kSize;
    for (int i = 0; i < kSize * kSize; ++i) a[i] = at(s, i / kSize, i % kSize);
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, kSize, kSize, kSize, 1, a, kSize, a, kSize,
                0, c, kSize);
    failures += LAPACKE_dgetrf(LAPACK_ROW_MAJOR, kSize, kSize, a, kSize, pivots + s * kSize) != 0;
  }
#pragma omp parallel for schedule(static, 1) reduction(+ : failures)
  for (int i = 0; i < kSystems; ++i) {
    const int s = (i + 1) % kSystems;
    double right[kSize];
    for (int row = 0; row < kSize; ++row) {
      right[row] = 0;
      for (int column = 0; column < kSize; ++column)
        right[row] += at(s, row, column) * (column + 1);
    }
    failures += LAPACKE_dgetrs(LAPACK_ROW_MAJOR, 'N', kSize, 1, matrices + s * kSize * kSize, kSize,
                               pivots + s * kSize, right, 1) != 0;
    for (int row = 0; row < kSize; ++row) failures += fabs(right[row] - (row + 1)) > 1e-8;
  }
  for (int s = 0; s < kSystems; ++s) {
    double wanted = 0;
    for (int k = 0; k < kSize; ++k) wanted += at(s, 3, k) * at(s, 5, k);
    failures += fabs(products[s * kSize * kSize + 3 * kSize + 5] - wanted) > 1e-9;
  }
  printf("%d failures\n", failures);
  if (failures == 0) puts("ok");
  return 0;
}
