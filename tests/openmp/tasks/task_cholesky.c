// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A blocked Cholesky factorization whose tasks know each other by depend alone; the factor times
// its transpose must give the matrix back.

#include <math.h>
#include <omp.h>

#include "../check.h"

enum { kBlocks = 5, kSide = 24, kTotal = kBlocks * kSide };
typedef double Block[kSide][kSide];
static Block a[kBlocks][kBlocks];
static double original[kTotal][kTotal];

static void factor(Block m) {
  for (int j = 0; j < kSide; ++j) {
    for (int k = 0; k < j; ++k) m[j][j] -= m[j][k] * m[j][k];
    m[j][j] = sqrt(m[j][j]);
    for (int i = j + 1; i < kSide; ++i) {
      for (int k = 0; k < j; ++k) m[i][j] -= m[i][k] * m[j][k];
      m[i][j] /= m[j][j];
    }
  }
}

static void solve(Block l, Block m) {
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j) {
      for (int k = 0; k < j; ++k) m[i][j] -= m[i][k] * l[j][k];
      m[i][j] /= l[j][j];
    }
}

static void update(Block left, Block right, Block m) {
  for (int i = 0; i < kSide; ++i)
    for (int j = 0; j < kSide; ++j)
      for (int k = 0; k < kSide; ++k) m[i][j] -= left[i][k] * right[j][k];
}

static double element(int i, int j) {
  const Block* b = &a[i / kSide][j / kSide];
  return j > i ? 0 : (*b)[i % kSide][j % kSide];
}

int main(void) {
  for (int i = 0; i < kTotal; ++i)
    for (int j = 0; j < kTotal; ++j) {
      const double value = (i == j ? 2.0 * kTotal : 0) + 1.0 / (1 + (i + j) % 17);
      original[i][j] = a[i / kSide][j / kSide][i % kSide][j % kSide] = value;
    }
#pragma omp parallel
#pragma omp single
  for (int k = 0; k < kBlocks; ++k) {
#pragma omp task depend(inout : a[k][k])
    factor(a[k][k]);
    for (int i = k + 1; i < kBlocks; ++i) {
#pragma omp task depend(in : a[k][k]) depend(inout : a[i][k])
      solve(a[k][k], a[i][k]);
    }
    for (int i = k + 1; i < kBlocks; ++i)
      for (int j = k + 1; j <= i; ++j) {
#pragma omp task depend(in : a[i][k], a[j][k]) depend(inout : a[i][j])
        update(a[i][k], a[j][k], a[i][j]);
      }
  }
  for (int i = 0; i < kTotal; ++i)
    for (int j = 0; j <= i; ++j) {
      double product = 0;
      for (int k = 0; k <= j; ++k) product += element(i, k) * element(j, k);
      EXPECT(fabs(product - original[i][j]) < 1e-9, "Element %d, %d is %g, not %g.", i, j, product,
             original[i][j]);
    }
  return ok();
}
