// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Before a loop of a few steps no call is made: deep in a recursion it would take longer than the loop.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck %s

// 4096 elements of 8 bytes are 32768 bytes.
// CHECK-LABEL: @one(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK: icmp uge i64 {{.*}}, 4096
// CHECK-NEXT: br i1
// CHECK: call preserve_mostcc void @__weft_prefetch(
double one(const double* a, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[i];
  return sum;
}

// One array may be enough: that of larger elements, 256 bytes apart.
// CHECK-LABEL: @two_sizes(
// CHECK: icmp uge i64 {{.*}}, 129
// CHECK-NEXT: br i1
// CHECK: call
void two_sizes(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i++) a[i] += b[32 * i];
}

// Elements that lie as far apart as the program says: each may be in two pages.
// CHECK-LABEL: @far_apart(
// CHECK: icmp uge i64 {{.*}}, 4
// CHECK-NEXT: br i1
// CHECK: call
double far_apart(const double* a, long n, long line) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[i * line];
  return sum;
}

// Backwards.
// CHECK-LABEL: @backwards(
// CHECK: icmp uge i64 {{.*}}, 4096
// CHECK-NEXT: br i1
// CHECK: call
double backwards(const double* a, long n) {
  double sum = 0;
  for (long i = n; i > 0; i--) sum = 2 * sum + a[i];
  return sum;
}

// Two loops have two comparisons at most.
// CHECK-LABEL: @nest(
// CHECK-NOT: icmp uge i64
// CHECK: call preserve_mostcc void @__weft_prefetch(
double nest(const double* a, long n, long m, long line) {
  double sum = 0;
  for (long j = 0; j < m; j++)
    for (long i = 0; i < n; i++) sum += a[j * line + i];
  return sum;
}
