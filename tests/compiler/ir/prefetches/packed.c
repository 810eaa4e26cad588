// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Several accesses before a loop are one call. Their numbers are formulas in a constant (struct
// weft_uses, enum weft_formula), of values that the code stores.
//
// RUN: env -u WEFT_PREFETCH_CALLS weftcc -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

// A number that several need is kept ({) and fetched from there (|00, |01): the numbers of steps of both loops, 1
// more (w01: ADD_SMALL) than value 1, and 8 times (x: EIGHTFOLD) value 3.
// CHECK: [[OF_PLANES:@weft.uses[.0-9]*]] = private constant { i32, i32, [0 x i64], [27 x i8] } { i32 2, i32 0, [0 x i64] zeroinitializer, [27 x i8] c"\01\02\00v\08v\10{w\01\01{x\02\03\00\02\04v\08v\10|\00|\01\03" }, align 8

// A load from a variable of the module is a step, though the loop needs it, too: LOAD (y), of word 1
// (01) behind value 0 (00). A number of more than 8 bits is a constant (\80).
// CHECK: [[OF_VARIABLE:@weft.uses[.0-9]*]] = private constant { i32, i32, [1 x i64], [20 x i8] } { i32 2, i32 1, [1 x i64] [i64 1000], [20 x i8] c"\01\01y\01\00v\08v\10\01\00\01p\02\80v\08v\10\01" }, align 8

// Two accesses. The first stores (01), with one stride (01): it begins at value 0 (00), has 8 bytes
// (v08: SMALL), a stride of 16 (v10), and as many of them as value 1 says (01), which the code needs before. The
// second loads (00), begins at value 2, and has else the same.
// CHECK: [[USES:@weft.uses[.0-9]*]] = private constant { i32, i32, [0 x i64], [16 x i8] } { i32 2, i32 0, [0 x i64] zeroinitializer, [16 x i8] c"\01\01\00v\08v\10\01\00\01\02v\08v\10\01" }, align 8

// CHECK-LABEL: @two_arrays(
// CHECK: [[VALUES:%[.a-z0-9]+]] = alloca [3 x i64]
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK: call preserve_mostcc void @__weft_prefetch_all(ptr [[USES]], ptr [[VALUES]])
// CHECK-NEXT: call preserve_mostcc void @__weft_await_prefetches()
// CHECK-NOT: @__weft_prefetch
void two_arrays(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i += 2) a[i] = b[i];
}

struct grid {
  int rows, columns;
  double* cells;
};
extern struct grid grid;

// The variable's address is a value of the call.
// CHECK-LABEL: @of_a_variable(
// CHECK: [[VALUES:%[.a-z0-9]+]] = alloca [3 x i64]
// CHECK: store ptr @grid, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch_all(ptr [[OF_VARIABLE]], ptr [[VALUES]])
void of_a_variable(const double* restrict b) {
  double* restrict cells = grid.cells;
  const long columns = grid.columns;
  for (long i = 0; i < columns; i += 2) cells[i] = b[i + 125];
}

// CHECK-LABEL: @two_planes(
// CHECK: call preserve_mostcc void @__weft_prefetch_all(ptr [[OF_PLANES]],
void two_planes(double* restrict a, const double* restrict b, long n, long lines, long line) {
  for (long k = 0; k < lines; k++)
    for (long i = 0; i < n; i += 2) a[k * line + i] = b[k * line + i];
}

// One access is a call of its own.
// CHECK-LABEL: @one_array(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
// CHECK-NOT: call preserve_mostcc void @__weft_prefetch_all
void one_array(double* a, long n) {
  for (long i = 0; i < n; i += 2) a[i] = 1;
}

// Late binding keeps fewer registers than the callee.
// CHECK: declare preserve_mostcc void @__weft_prefetch_all(ptr, ptr) [[LATE:#[0-9]+]]
// CHECK: attributes [[LATE]] = { nonlazybind }
