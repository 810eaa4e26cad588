// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition, again and again of the same matrix. The matrix stays as it is, row by row; it
// is worked on in blocks of 32 x 32. Rows and columns are those of the first element of a block.
#include "../lu_kernel.h"

static double matrix[kOrder][kOrder], originals[kOrder][kOrder];

static void initialise(void) {
#pragma omp parallel for
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) originals[i][j] = original(i, j);
}

// The diagonal block, and then the blocks right of it.
static void factor(int diagonal) {
  const int end = diagonal + kBlock;
  for (int p = diagonal; p < end; ++p)
    for (int i = p + 1; i < end; ++i)
      eliminate(&matrix[i][diagonal], &matrix[p][diagonal], p - diagonal);
  for (int column = end; column < kOrder; column += kBlock)
    for (int p = diagonal; p < end; ++p)
      for (int i = p + 1; i < end; ++i)
        subtract(matrix[i][p], &matrix[p][column], 0, &matrix[i][column]);
}

// A later row of blocks by the factored one.
static void update(int row, int diagonal) {
  const int end = diagonal + kBlock;
  for (int i = row; i < row + kBlock; ++i)
    for (int p = diagonal; p < end; ++p)
      eliminate(&matrix[i][diagonal], &matrix[p][diagonal], p - diagonal);
  for (int column = end; column < kOrder; column += kBlock)
    for (int i = row; i < row + kBlock; ++i)
      for (int p = diagonal; p < end; ++p)
        subtract(matrix[i][p], &matrix[p][column], 0, &matrix[i][column]);
}

static void decompose(void) {
#pragma omp parallel for
  for (int i = 0; i < kOrder; ++i) memcpy(matrix[i], originals[i], sizeof matrix[i]);
  for (int diagonal = 0; diagonal < kOrder; diagonal += kBlock) {
    factor(diagonal);
#pragma omp parallel for
    for (int row = diagonal + kBlock; row < kOrder; row += kBlock) update(row, diagonal);
  }
}

int main(int argc, char** argv) {
  const int iterations = bench_iterations(argc, argv);
  double start = 0, sum = 0;
  initialise();
  for (int k = 0; k < iterations; ++k) {
    if (k == iterations / 2) start = bench_clock();
    decompose();
  }
  const double seconds = bench_clock() - start;
  for (int i = 0; i < kOrder; ++i)
    for (int j = 0; j < kOrder; ++j) sum += matrix[i][j] * (j % 7 + 1);
  bench_report(iterations, seconds, sum);
}
