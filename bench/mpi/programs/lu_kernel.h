// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LU decomposition without pivoting of a matrix of order 512, in blocks of 32 rows.
#pragma once

#include <string.h>

#include "bench.h"

enum { kOrder = 512, kBlock = 32, kBlocks = kOrder / kBlock };
typedef double Row[kOrder];

static inline double original(int i, int j) {
  return bench_random((uint64_t)(i * kOrder + j)) + (i == j ? kOrder : 0);
}

// Subtracts the pivot row, whose number is `pivot`, so often that the row's element there goes; how
// often is kept in its place.
static inline void eliminate(double* row, const double* pivot_row, int pivot) {
  const double factor = row[pivot] /= pivot_row[pivot];
  for (int j = pivot + 1; j < kOrder; ++j) row[j] -= factor * pivot_row[j];
}

// A block of rows within itself.
static inline void factor_block(Row* rows, int block) {
  for (int p = 0; p < kBlock; ++p)
    for (int i = p + 1; i < kBlock; ++i) eliminate(rows[i], rows[p], block * kBlock + p);
}

// A later block of rows by the rows of a factored one.
static inline void update_block(Row* rows, Row* pivots, int pivot_block) {
  for (int i = 0; i < kBlock; ++i)
    for (int p = 0; p < kBlock; ++p) eliminate(rows[i], pivots[p], pivot_block * kBlock + p);
}
