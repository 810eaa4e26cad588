// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several accesses before a loop are one call, with the numbers that are not known; the others, and
// which is which, are constants (struct weft_uses).
//
// RUN: env -u WEFT_PREFETCH_CALLS weftcc -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

// Two accesses, whose numbers are 8, the size of an element and the distance between two of them:
// the first stores (1), with one stride: value 0, 8 bytes (constant 0), a stride of 16 (constant 1)
// and as many as value 1. The second loads (0) elsewhere (value 2), and else the same.
// CHECK: [[USES:@weft.uses[.0-9]*]] = private constant { i32, i32, [2 x i64], [12 x i8] } { i32 2, i32 2, [2 x i64] [i64 8, i64 16], [12 x i8] c"\01\01\00\80\81\01\00\01\02\80\81\01" }, align 8

// CHECK-LABEL: @two_arrays(
// CHECK: [[VALUES:%[.a-z0-9]+]] = alloca [3 x i64]
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK: call void @__weft_prefetch_all(ptr [[USES]], ptr [[VALUES]])
// CHECK-NEXT: call void @__weft_await_prefetches()
// CHECK-NOT: @__weft_prefetch
void two_arrays(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i += 2) a[i] = b[i];
}

// One access is a call of its own.
// CHECK-LABEL: @one_array(
// CHECK: call void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
// CHECK-NOT: call void @__weft_prefetch_all
void one_array(double* a, long n) {
  for (long i = 0; i < n; i += 2) a[i] = 1;
}
