// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops say before they begin which memory they will use; in jobs of several nodes only. On one
// node the cost is one load and one branch, with everything else behind it.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O3 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O0 -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -Oz -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O2 -fno-weft-prefetches -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O2 -fno-weft-prefetches -fweft-prefetches -S -emit-llvm %s -o - | FileCheck %s
// NOTHING-NOT: weft_prefetch
// NOTHING-NOT: weft_hint
//
// RUN: weftcc -O2 -fweft-prefetches=innermost -S -emit-llvm %s -o - | FileCheck -check-prefix=INNERMOST %s

double many[2000][10000], grid[66][258][258];

// CHECK-LABEL: @sums(
// CHECK-NOT: call
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: store i64 8, ptr
// CHECK: store i64 [[N:%.*]], ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
// CHECK-NOT: call {{.*}}@__weft_prefetch
double sums(const double* a, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[i];
  return sum;
}

// All loops that move it; or the innermost of them.
// CHECK-LABEL: @nest(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: store i64 8, ptr
// CHECK: store i64 9000, ptr
// CHECK: store i64 80000, ptr
// CHECK: store i64 2000, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}@many, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK-NOT: call {{.*}}@__weft_prefetch
// INNERMOST-LABEL: @nest(
// INNERMOST: getelementptr {{.*}}@many
// INNERMOST: store i64 8, ptr
// INNERMOST: store i64 9000, ptr
// INNERMOST: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
// INNERMOST-NOT: call {{.*}}@__weft_prefetch
// INNERMOST-LABEL: @nest_of_any_size(
double nest(void) {
  double sum = 0;
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 9000; j++) sum += many[i][j] * i;
  return sum;
}

// CHECK-LABEL: @nest_of_any_size(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK-NOT: call {{.*}}@__weft_prefetch
double nest_of_any_size(int n, int m, int w, double a[n][w]) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) sum += a[i][j] * i;
  return sum;
}

// CHECK-LABEL: @downwards(
// CHECK: br i1
// CHECK: store i64 -8, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
double downwards(const double* a, int n) {
  double sum = 0;
  for (int i = n - 1; i >= 0; i--) sum = sum * 0.5 + a[i];
  return sum;
}

// CHECK-LABEL: @column(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
double column(int n, int w, double a[n][w]) {
  double sum = 0;
  for (int i = 0; i < n; i++) sum += a[i][3];
  return sum;
}

// A column at a constant distance, that is used again and again.
// CHECK-LABEL: @column_again(
// CHECK: store i64 80000, ptr
// CHECK: store i64 2000, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}@many{{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
// CHECK-NOT: call {{.*}}@__weft_prefetch
double column_again(int n) {
  double sum = 0;
  for (int again = 0; again < n; again++)
    for (int i = 0; i < 2000; i++) sum += many[i][3] * again;
  return sum;
}

// One call for all neighbours: two rows more, and two elements more of the rows.
// CHECK-LABEL: @stencil(
// CHECK: store i64 8, ptr
// CHECK: store i64 258, ptr
// CHECK: store i64 2064, ptr
// CHECK: store i64 258, ptr
// CHECK: store i64 532512, ptr
// CHECK: store i64 66, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}@grid{{.*}}, i64 8, ptr {{.*}}, i32 3, i32 0)
// CHECK-NOT: call {{.*}}@__weft_prefetch
double stencil(void) {
  double sum = 0;
  for (int i = 1; i < 65; i++)
    for (int j = 1; j < 257; j++)
      for (int k = 1; k < 257; k++)
        sum += i * (grid[i - 1][j][k] + grid[i + 1][j][k] + grid[i][j - 1][k] + grid[i][j + 1][k] +
                    grid[i][j][k - 1] + grid[i][j][k + 1]);
  return sum;
}

// CHECK-LABEL: @stencil_of_any_size(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK-NOT: call {{.*}}@__weft_prefetch
double stencil_of_any_size(int n, int m, double b[n][m]) {
  double sum = 0;
  for (int i = 1; i < n - 1; i++)
    for (int j = 1; j < m - 1; j++)
      sum += i * (b[i - 1][j] + b[i + 1][j] + b[i][j - 1] + b[i][j + 1]);
  return sum;
}

// Two arrays are two calls behind one branch, and one call that waits for both.
// CHECK-LABEL: @two(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK: call preserve_mostcc void @__weft_prefetch(
// CHECK-NOT: br
// CHECK: call preserve_mostcc void @__weft_prefetch(
// CHECK-NEXT: call preserve_mostcc void @__weft_await_prefetches()
double two(const double* a, const double* b, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// Of one loop that was two: rows, and elements of rows. Divisions come behind the branch.
// CHECK-LABEL: define internal void @collapsed.omp_outlined(
// CHECK: call void @__kmpc_for_static_init
// CHECK-NOT: udiv
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: udiv i64
// CHECK: udiv i64
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
void collapsed(int n, int m, int w, double a[n][w]) {
#pragma omp parallel for collapse(2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] += i;
}

// Each thread's share.
// CHECK-LABEL: define internal void @shares.omp_outlined(
// CHECK: call void @__kmpc_for_static_init
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK: call void @__kmpc_for_static_fini(
void shares(int n, int m, int w, double a[n][w]) {
#pragma omp parallel for
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] += i;
}

struct matrix {
  long rows, columns, width;
  double* data;
};
void call(double);

// A call may change what they depend on, so it is loaded each time. It is loaded early only as a
// hint, and behind the branch.
// CHECK-LABEL: @loaded(
// CHECK-NOT: call
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: call i64 @__weft_hint_load(ptr {{.*}}, i32 8)
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK: br
// CHECK-NOT: @__weft_hint_load
// CHECK: call void @call(
void loaded(struct matrix* m) {
  for (long i = 0; i < m->rows; i++)
    for (long j = 0; j < m->columns; j++) call(m->data[i * m->width + j]);
}

// Stores to parts of a range are of memory that has to be here; those that overwrite all are not.
// CHECK-LABEL: @part(
// CHECK: store i64 16, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
void part(double* a, long n) {
  for (long i = 0; i < n; i++) a[2 * i] = i;
}
// CHECK-LABEL: @whole(
// CHECK: call preserve_mostcc void @__weft_overwrite(
// CHECK-NOT: @__weft_prefetch
// CHECK-LABEL: @whole_or_part(
void whole(double* a, long n) {
  for (long i = 0; i < n; i++) a[i] = i;
}
// Where there are gaps, it is not overwritten whole.
// CHECK: call preserve_mostcc void @__weft_overwrite(
// CHECK: call preserve_mostcc void @__weft_prefetch(
void whole_or_part(int n, int m, int w, double a[n][w]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = i + j;
}

// A loop around that synchronises: before the inner one only.
// CHECK-LABEL: @synchronises_around(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}@many, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK: call void @__kmpc_barrier(
double synchronises_around(int n) {
  double sum = 0;
  for (int step = 0; step < n; step++) {
    for (int i = 0; i < 2000; i++)
      for (int j = 0; j < 9000; j++) sum += many[i][j] * step;
#pragma omp barrier
  }
  return sum;
}

// A branch that says the same each time is no obstacle.
// CHECK-LABEL: @steady(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
void steady(const double* a, long n, int* on) {
  for (long i = 0; i < n; i++)
    if (*on) call(a[i]);
}
