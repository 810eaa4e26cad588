// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop stores to is said apart (the last operand is 1), as its pages are then written
// without a fault for each. No more than it stores to: others may write what lies beside.
//
// RUN: weftcc -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

extern double grid[2][258][258][258];

// Loaded and stored: one call.
// CHECK-LABEL: @in_place(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
// CHECK-NOT: @__weft_prefetch
void in_place(double* a, long n) {
  for (long i = 0; i < n; i += 2) a[i] = a[i] * 0.5 + 1;
}

// The neighbours are only loaded.
// CHECK-LABEL: @with_neighbours(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 24, ptr {{.*}}, i32 1, i32 0)
// CHECK-NOT: @__weft_prefetch
void with_neighbours(double* a, long n) {
  for (long i = 3; i < n - 1; i += 3) a[i] = a[i - 1] + a[i] + a[i + 1];
}

// Other parts of an array are other calls.
// CHECK-LABEL: @rows(
// CHECK-DAG: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK-DAG: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK-DAG: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK: call preserve_mostcc void @__weft_await_prefetches
void rows(void) {
  for (int i = 0; i < 200; i++)
    for (int j = 0; j < 250; j += 2) {
      grid[0][1][i][j] = grid[0][2][i][j];
      grid[0][3][i][j] = grid[0][2][i][j] + 1;
    }
}

// By a condition that is the same all the time, and may be false: prefetched, but not as stored to.
// CHECK-LABEL: @by_a_condition(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
// CHECK-NOT: i32 1, i32 1)
// CHECK-LABEL: define {{.*}}@f
void g(void);
void by_a_condition(double* a, long n, const int* flag) {
  for (long i = 0; i < n; i += 2) {
    if (*flag) a[i] = 1;
    g();
  }
}
void f(void) {}

// A loop that may have no iterations is no condition.
// CHECK-LABEL: @nest(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
void nest(int n, int m, int w, double a[n][w]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j += 2) a[i][j] = i;
}

// Nor are two such loops, one in the other, behind a call, after which their numbers are loaded anew.
// CHECK-LABEL: @behind_a_call(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 1)
// CHECK-NOT: @__weft_prefetch(
// CHECK: ret void
void behind_a_call(double* restrict a, const int* n, const int* m) {
  for (int k = 0; k < 100; k++) {
    g();
    const int rows = *n, width = *m;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < width; j++) a[1000000L * i + 2000L * k + 2 * j] = i;
  }
}

// A number of rows from which on they are stored to is.
// CHECK-LABEL: @from_a_number_on(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 0)
// CHECK-NOT: i32 1)
// CHECK: ret void
void from_a_number_on(double* restrict a, const int* n, const int* m) {
  for (int k = 0; k < 100; k++) {
    g();
    const int rows = *n, width = *m;
    if (rows < 10) continue;
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < width; j++) a[1000000L * i + 2000L * k + 2 * j] = i;
  }
}

// Of collapsed loops a thread stores to a part of its first and last row, and uses no more.
// CHECK-LABEL: define internal void @collapsed.omp_outlined(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
void collapsed(int n, int m, double a[n][2 * m]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][2 * j] = i;
}
