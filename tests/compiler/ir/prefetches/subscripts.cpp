// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Vectors of vectors.
//
// RUN: weftc++ -O2 -S -emit-llvm %s -o - | FileCheck %s
#include <cstddef>
#include <vector>

using Rows = std::vector<std::vector<double>>;

// CHECK-LABEL: @all(
// CHECK: call void @__weft_prefetch_indirect(
extern "C" double all(const Rows& rows) {
  double sum = 0;
  for (const auto& row : rows)
    for (const double value : row) sum += value;
  return sum;
}

// CHECK-LABEL: @by_size(
// CHECK: call void @__weft_prefetch_indirect(
extern "C" void by_size(const Rows& rows, double* y) {
  for (std::size_t i = 0; i < rows.size(); i++) {
    double sum = 0;
    for (std::size_t j = 0; j < rows[i].size(); j++) sum += rows[i][j];
    y[i] = sum;
  }
}

// Values and columns in vectors of their own, which are as long: so are the elements of x.
// CHECK-LABEL: @sparse(
// CHECK-COUNT-3: call void @__weft_prefetch_indirect(
extern "C" void sparse(const Rows& rows, const std::vector<std::vector<int>>& columns,
                       const double* x, double* y) {
  for (std::size_t i = 0; i < rows.size(); i++) {
    double sum = 0;
    for (std::size_t j = 0; j < rows[i].size(); j++) sum += rows[i][j] * x[columns[i][j]];
    y[i] = sum;
  }
}
