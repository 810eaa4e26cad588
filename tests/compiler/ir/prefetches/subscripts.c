// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory to which values lead that loops load: each form that is found, and what is said of it.
//
// RUN: weftcc -O2 -fno-weft-overwrites -S -emit-llvm -Rpass=weft %s -o %t.ll 2> %t.remarks
// RUN: FileCheck %s < %t.ll
// RUN: FileCheck -check-prefix=REMARKS %s < %t.remarks
// RUN: weftcc -O2 -fno-weft-subscripts -S -emit-llvm %s -o - | FileCheck -check-prefix=OFF %s
// RUN: weftcc -O2 -fno-weft-subscripts -fweft-subscripts -S -emit-llvm %s -o - | FileCheck %s
// OFF-NOT: @__weft_prefetch_indirect(

// CHECK-LABEL: @element(
// CHECK: call void @__weft_prefetch_indirect(
// REMARKS: subscripts.c:[[#@LINE+3]]:{{.*}}fetched by the values that lead there, before the loop of line [[#@LINE+3]]
double element(const double* a, const int* b, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[b[i]];
  return sum;
}

// Behind the call for the subscripts themselves, and before the threads wait.
// CHECK-LABEL: @rows(
// CHECK: call preserve_mostcc void @__weft_prefetch{{(_all)?}}(
// CHECK-COUNT-3: call void @__weft_prefetch_indirect(ptr %{{.*}}, i64 4, ptr %{{.*}}, i32 1, ptr %{{.*}}, i32 {{[12]}}, i32 0)
// CHECK-NOT: call void @__weft_prefetch_indirect(
// CHECK: call preserve_mostcc void @__weft_await_prefetches()
// REMARKS-COUNT-3: subscripts.c:[[#@LINE+6]]:{{.*}}fetched by the values that lead there, before the loop of line [[#@LINE+4]]
void rows(long count, const int* first, const int* column, const double* value, const double* x,
          double* y) {
  double sum = 0;
  for (long i = 0; i < count; i++)
    for (long k = first[i]; k < first[i + 1]; k++)
      sum += value[k] * x[column[k]];
  *y = sum;
}

// The end of a row is kept for the next one.
// CHECK-LABEL: @rows_of_results(
// CHECK-COUNT-2: call void @__weft_prefetch_indirect(
void rows_of_results(long count, const long* first, const double* value, double* y, double* z) {
  for (long i = 0; i < count; i++) {
    double sum = 0;
    for (long k = first[i]; k < first[i + 1]; k++) sum += value[k] * z[k];
    y[i] = sum;
  }
}

// CHECK-LABEL: @pointers(
// CHECK: call void @__weft_prefetch_indirect(ptr {{%[^,]*}}, i64 8, ptr %{{.*}}, i32 1, ptr %{{.*}}, i32 1, i32 0)
double pointers(double* const* rows, long n, long m) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++) sum += rows[i][j];
  return sum;
}

// CHECK-LABEL: @chain(
// CHECK: call void @__weft_prefetch_indirect(ptr {{%[^,]*}}, i64 4, ptr %{{.*}}, i32 1, ptr %{{.*}}, i32 2, i32 0)
double chain(const double* a, const long* b, const int* c, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[b[c[i]]];
  return sum;
}

// Both parts of a record by one call.
// CHECK-LABEL: @parts(
// CHECK: call void @__weft_prefetch_indirect(ptr {{%[^,]*}}, i64 4
// CHECK-NOT: call void @__weft_prefetch_indirect(
// CHECK: ret double
struct point {
  double x, y, z;
};
double parts(const struct point* a, const int* b, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += a[b[i]].x * a[b[i]].z;
  return sum;
}

// A loop that is unrolled: subscripts side by side.
// CHECK-LABEL: @unrolled(
// CHECK: call void @__weft_prefetch_indirect(ptr {{%[^,]*}}, i64 16, ptr
// CHECK-NOT: call void @__weft_prefetch_indirect(
// CHECK: ret double
double unrolled(const double* a, const int (*b)[8], long n) {
  double sum = 0;
  for (long i = 0; i < n; i++)
    for (int k = 0; k < 4; k++) sum += a[b[i][k]];
  return sum;
}

// CHECK-LABEL: @stores(
// CHECK: call void @__weft_prefetch_indirect(ptr {{%[^,]*}}, i64 8, ptr %{{.*}}, i32 1, ptr %{{.*}}, i32 1, i32 1)
void stores(double* a, const long* b, long n) {
  for (long i = 0; i < n; i++) a[b[i]] = i;
}

// Before each of these loops, as others have written before it.
// CHECK-LABEL: @again(
// CHECK: call void @__weft_prefetch_indirect(
double again(const double* a, const int* b, long n, int times) {
  double sum = 0;
  for (int t = 0; t < times; t++) {
#pragma omp barrier
    for (long i = 0; i < n; i++) sum += a[b[i]];
  }
  return sum;
}
