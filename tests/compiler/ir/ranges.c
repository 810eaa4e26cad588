// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops and copies that overwrite a range whole say so before they begin; in jobs of several nodes
// only, and for some pages at least.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O3 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O0 -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -Oz -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O2 -fno-weft-overwrites -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O2 -fno-weft-overwrites -fweft-overwrites -S -emit-llvm %s -o - | FileCheck %s
// NOTHING-NOT: overwrite
#include <string.h>

double many[2000][1000];
struct record {
  double x, y;
};

// CHECK-LABEL: @fills(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: [[SPANS:%.*]] = icmp {{eq|ne}} i32
// CHECK-NEXT: br i1 [[SPANS]]
// CHECK: [[BYTES:%.*]] = shl {{.*}}i64 {{.*}}, 3
// CHECK: icmp u{{ge i64 .BYTES., 32768|gt i64 .BYTES., 32767|.*}}
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64 [[BYTES]])

void fills(double* a, long n) {
  for (long i = 0; i < n; i++) a[i] = 1;
}

// What is known needs no comparison.
// CHECK-LABEL: @nest(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NOT: 32768
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}@many, i64 16000000)
// CHECK-NOT: call {{.*}}@__weft_overwrite
void nest(void) {
  for (int i = 0; i < 2000; i++)
    for (int j = 0; j < 1000; j++) many[i][j] = i + j;
}

// Rows follow each other, but for the outermost that is left out.
// CHECK-LABEL: @nest_without_a_row(
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64 15992000)
void nest_without_a_row(void) {
  for (int i = 1; i < 2000; i++)
    for (int j = 0; j < 1000; j++) many[i][j] = i - j;
}

// CHECK-LABEL: @nest_of_any_size(
// CHECK: call preserve_mostcc void @__weft_overwrite(
void nest_of_any_size(int n, int m, double a[n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = i + j;
}

// From the lowest address on.
// CHECK-LABEL: @downwards(
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}[[A:%[^,]*]], i64
void downwards(double* a, int n) {
  for (int i = n - 1; i >= 0; i--) a[i] = i;
}

// CHECK-LABEL: @records(
// CHECK: [[BYTES:%.*]] = shl {{.*}}i64 {{.*}}, 4
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64 [[BYTES]])
void records(struct record* a, long n) {
  for (long i = 0; i < n; i++) {
    a[i].y = -i;
    a[i].x = i;
  }
}

// Two ranges.
// CHECK-LABEL: @two(
// CHECK: call preserve_mostcc void @__weft_overwrite(
// CHECK: call preserve_mostcc void @__weft_overwrite(
void two(double* restrict a, double* restrict b, long n) {
  for (long i = 0; i < n; i++) {
    a[i] = i;
    b[i] = -i;
  }
}

// The bytes that are read have been overwritten: in the same iteration, or in one before.
// CHECK-LABEL: @reads_behind(
// CHECK: call preserve_mostcc void @__weft_overwrite(
double reads_behind(double* a, long n) {
  double sum = 0;
  for (long i = 2; i < n; i++) {
    a[i] = a[i - 1] + a[i - 2];
    sum += a[i];
  }
  return sum;
}

// CHECK-LABEL: @restricted(
// CHECK-NOT: sub
// CHECK: call preserve_mostcc void @__weft_overwrite(
void restricted(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i++) a[i] = 2 * b[i];
}

// What is read must not be in the range, which is found out before the loop.
// CHECK-LABEL: @perhaps_restricted(
// CHECK: sub i64
// CHECK: icmp u{{ge|lt|gt|le}} i64
// CHECK: call preserve_mostcc void @__weft_overwrite(
void perhaps_restricted(double* a, const double* b, long n) {
  for (long i = 0; i < n; i++) a[i] = 2 * b[i + 1] + b[i];
}

// Other types are other memory.
// CHECK-LABEL: @other_type(
// CHECK-NOT: sub i64
// CHECK: call preserve_mostcc void @__weft_overwrite(
void other_type(double* a, const int* b, long n) {
  for (long i = 0; i < n; i++) a[i] = b[i];
}

// CHECK-LABEL: @gathers(
// CHECK: call preserve_mostcc void @__weft_overwrite(
void gathers(double* restrict a, const double* restrict b, const int* from, long n) {
  for (long i = 0; i < n; i++) a[i] = b[from[i]];
}

// CHECK-LABEL: @sets(
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64
// CHECK: call void @llvm.memset
void sets(char* p, long n) { memset(p, 7, n); }

// The source may be the destination itself.
// CHECK-LABEL: @copies(
// CHECK: sub i64
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64
// CHECK: call void @llvm.memcpy
void copies(char* p, const char* q, long n) { memcpy(p, q, n); }

// CHECK-LABEL: @moves(
// CHECK: sub i64
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64
// CHECK: call void @llvm.memmove
void moves(char* p, const char* q, long n) { memmove(p, q, n); }

// Rows that are copied one after the other are one range, if they leave no gap.
// CHECK-LABEL: @copies_rows(
// CHECK: icmp eq i64
// CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64
// CHECK: call void @llvm.memcpy
void copies_rows(char* restrict p, const char* restrict q, long rows, long bytes, long width) {
  for (long i = 0; i < rows; i++) memcpy(p + i * width, q + i * width, bytes);
}

// Each thread's share.
// CHECK-LABEL: define internal void @shares.omp_outlined(
// CHECK: call void @__kmpc_for_static_init
// CHECK: call preserve_mostcc void @__weft_overwrite(
// CHECK: call void @__kmpc_for_static_fini(
void shares(double* a, const double* b, int n) {
#pragma omp parallel for
  for (int i = 0; i < n; i++) a[i] = b[i] + 1;
}

// Each chunk.
// CHECK-LABEL: define internal void @shares_in_chunks.omp_outlined(
// CHECK: call {{.*}} @__kmpc_dispatch_next
// CHECK: call preserve_mostcc void @__weft_overwrite(
void shares_in_chunks(double* a, const double* b, int n) {
#pragma omp parallel for schedule(dynamic, 100000)
  for (int i = 0; i < n; i++) a[i] = b[i] + 1;
}
