// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition, again and again of the same matrix. The matrix stays as it is, row by row; it
// is worked on in blocks of 32 x 32. Rows and columns are those of the first element of a block.
// The plain form, which says to Weft which blocks it is about to use, and which it has written for
// good.
#include <omp.h>
#include <weft/weft.h>

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

// A row of blocks, from a column to the end.
static void check_out_row(int row, int column) {
  weft_check_out_strided(&matrix[row][column], sizeof(double) * (size_t)(kOrder - column),
                         sizeof matrix[0], kBlock, WEFT_READ);
}
static void commit_row(int row, int column) {
  weft_commit_strided(&matrix[row][column], sizeof(double) * (size_t)(kOrder - column),
                      sizeof matrix[0], kBlock);
}

static void decompose(void) {
#pragma omp parallel for
  for (int i = 0; i < kOrder; ++i) memcpy(matrix[i], originals[i], sizeof matrix[i]);
  for (int diagonal = 0; diagonal < kOrder; diagonal += kBlock) {
    factor(diagonal);
    commit_row(diagonal, diagonal);
#pragma omp parallel
    {
      check_out_row(diagonal, diagonal);
#pragma omp for nowait
      for (int row = diagonal + kBlock; row < kOrder; row += kBlock) {
        update(row, diagonal);
        // Node 0 factors it next.
        if (row == diagonal + kBlock) commit_row(row, row);
      }
    }
    if (diagonal + kBlock < kOrder) check_out_row(diagonal + kBlock, diagonal + kBlock);
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
