// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops in templates, lambdas and over containers.
//
// RUN: weftc++ -std=c++20 -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftc++ -std=c++20 -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftc++ -std=c++20 -O2 -fno-weft-prefetches -S -emit-llvm %s -o - \
// RUN:   | FileCheck -check-prefix=NOTHING %s
// NOTHING-NOT: weft_prefetch
#include <algorithm>
#include <numeric>
#include <span>
#include <vector>

template <typename T>
class Matrix {
 public:
  T& operator()(long i, long j) { return elements_[i * columns_ + j]; }
  long rows() const { return rows_; }
  long columns() const { return columns_; }

 private:
  long rows_ = 0, columns_ = 0;
  std::vector<T> elements_;
};

template <typename Matrix, typename Body>
void for_each(Matrix& matrix, Body body) {
  for (long i = 0; i < matrix.rows(); i++)
    for (long j = 0; j < matrix.columns(); j++) body(matrix(i, j));
}

extern "C" {

// CHECK-LABEL: @sums(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
double sums(const std::vector<double>& all) { return std::accumulate(all.begin(), all.end(), 0.0); }

// CHECK-LABEL: @in_place(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
void in_place(Matrix<double>& matrix) {
  for_each(matrix, [](double& each) { each = 2 * each + 1; });
}

// CHECK-LABEL: @of_rows(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
void of_rows(std::span<double> all, double factor) {
  std::transform(all.begin(), all.end(), all.begin(), [=](double each) { return each * factor; });
}

// A region of several threads.
// CHECK-LABEL: define internal void @shared.omp_outlined(
// CHECK: call void @__kmpc_for_static_init
// CHECK: call preserve_mostcc void @__weft_prefetch(
void shared(Matrix<float>& matrix) {
#pragma omp parallel for
  for (long i = 0; i < matrix.rows(); i++)
    for (long j = 0; j < matrix.columns(); j++) matrix(i, j) += static_cast<float>(i);
}
}
