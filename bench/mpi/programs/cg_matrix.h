// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sparse, symmetric, positive definite matrix of order 14,000 with 21 entries a row, far apart,
// so that every row needs elements from everywhere. Any row can be made by itself.
#pragma once

#include "bench.h"

enum { kOrder = 14000, kPairs = 10, kEntries = 2 * kPairs + 1 };

typedef struct {
  int column[kEntries];
  double value[kEntries];
} SparseRow;

static inline void make_row(SparseRow* row, int i) {
  double sum = 0;
  for (int pair = 0; pair < kPairs; ++pair) {
    const int distance = 1 + (int)(bench_random((uint64_t)pair) * (kOrder / 2 - 1));
    for (int side = 0; side < 2; ++side) {
      const int column = (i + (side ? distance : kOrder - distance)) % kOrder;
      const int low = side ? i : column;  // of the two that the entry joins, the same from both
      row->column[2 * pair + side] = column;
      row->value[2 * pair + side] = -bench_random((uint64_t)low * kPairs + (uint64_t)pair + 100);
      sum -= row->value[2 * pair + side];
    }
  }
  row->column[kEntries - 1] = i;
  row->value[kEntries - 1] = sum + 0.01;
}

static inline double row_times(const SparseRow* row, const double* vector) {
  double sum = 0;
  for (int k = 0; k < kEntries; ++k) sum += row->value[k] * vector[row->column[k]];
  return sum;
}
