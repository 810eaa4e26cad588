// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition without pivoting of a matrix of order 512, in blocks of 32 x 32, each of which
// is contiguous.
#pragma once

#include <string.h>

#include "bench.h"

enum { kOrder = 512, kBlock = 32, kBlocks = kOrder / kBlock };
typedef double Block[kBlock][kBlock];
typedef Block BlockRow[kBlocks];

static inline double original(int i, int j) {
  return bench_random((uint64_t)(i * kOrder + j)) + (i == j ? kOrder : 0);
}

static inline void original_row(BlockRow row, int block_row) {
  for (int block = 0; block < kBlocks; ++block)
    for (int i = 0; i < kBlock; ++i)
      for (int j = 0; j < kBlock; ++j)
        row[block][i][j] = original(block_row * kBlock + i, block * kBlock + j);
}

static inline double checksum_row(BlockRow row) {
  double sum = 0;
  for (int i = 0; i < kBlock; ++i)
    for (int j = 0; j < kOrder; ++j) sum += row[j / kBlock][i][j % kBlock] * (j % 7 + 1);
  return sum;
}

static inline void subtract(double factor, const double* restrict from, int begin,
                            double* restrict row) {
  for (int j = begin; j < kBlock; ++j) row[j] -= factor * from[j];
}

// Eliminates column `pivot` of a row of a block by that row of the diagonal block. How often it is
// subtracted is kept in the element's place.
static inline void eliminate(double* row, const double* pivot_row, int pivot) {
  row[pivot] /= pivot_row[pivot];
  subtract(row[pivot], pivot_row, pivot + 1, row);
}

// The next two are not inlined, so that both programs run the same code.

// The diagonal block of a row of blocks, and then what is right of it.
__attribute__((noinline)) static void factor_row(BlockRow row, int diagonal) {
  double (*const factors)[kBlock] = row[diagonal];
  for (int p = 0; p < kBlock; ++p)
    for (int i = p + 1; i < kBlock; ++i) eliminate(factors[i], factors[p], p);
  for (int block = diagonal + 1; block < kBlocks; ++block)
    for (int p = 0; p < kBlock; ++p)
      for (int i = p + 1; i < kBlock; ++i) subtract(factors[i][p], row[block][p], 0, row[block][i]);
}

// A later row of blocks by the factored one of `diagonal`.
__attribute__((noinline)) static void update_row(BlockRow row, BlockRow pivots, int diagonal) {
  double (*const factors)[kBlock] = row[diagonal];
  for (int i = 0; i < kBlock; ++i)
    for (int p = 0; p < kBlock; ++p) eliminate(factors[i], pivots[diagonal][p], p);
  for (int block = diagonal + 1; block < kBlocks; ++block)
    for (int i = 0; i < kBlock; ++i)
      for (int p = 0; p < kBlock; ++p) subtract(factors[i][p], pivots[block][p], 0, row[block][i]);
}
