// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A loop says which memory the functions that it calls will use, for all of its calls.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O3 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O2 -g -S -emit-llvm -Rpass=weft %s -o %t.ll 2>&1 | FileCheck -check-prefix=REMARK %s
//
// Not with calls before the innermost loops.
// RUN: weftcc -O2 -fweft-prefetches=innermost -S -emit-llvm %s -o - | FileCheck -check-prefix=INNERMOST %s
// INNERMOST-LABEL: @rows(
// INNERMOST-NOT: @__weft_prefetch
// INNERMOST-LABEL: define {{.*}}@columns(
#define FUNCTION __attribute__((noinline)) void
void call(double);
double sum;

FUNCTION line(double* first, long count, long stride) {
  for (long i = 0; i < count; i++) first[i * stride] = first[i * stride] * 2 + 1;
}

// As if the loops stood in this function: what a call stores to is stored to.
// CHECK-LABEL: @rows(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK: store i64 16, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@line(
// REMARK: calls.c:[[#@LINE+2]]:{{.*}}what is used in the call is fetched before the loop of line [[#@LINE+2]]
void rows(double* a, long n, long m) {
  for (long j = 0; j < n; j++) line(a + j * m, n, 2);
}

// CHECK-LABEL: @columns(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 1)
// CHECK-NOT: @__weft_prefetch
void columns(double* a, long n, long m) {
  for (long k = 0; k < n; k++)
    for (long j = 0; j < m; j++) line(a + k * n * m * 3 + j, n, m);
}

// Too little by itself to be said in the function; without gaps, so no stride of the caller's.
// CHECK-LABEL: @short_line(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
FUNCTION short_line(const double* a) {
  for (int i = 0; i < 300; i++) call(a[i]);
}
// CHECK-LABEL: @short_lines(
// CHECK: store i64 4800, ptr
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 2400, ptr {{.*}}, i32 1, i32 0)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@short_line(
void short_lines(const double* a, long n) {
  for (long j = 0; j < n; j++) short_line(a + 600 * j);
}

// Through functions that call functions.
FUNCTION two(double* a, long n) {
  line(a, n, 1);
  line(a + 4 * n, n, 1);
}
FUNCTION plane(double* a, long n) {
  for (long i = 0; i < n; i++) two(a + 8 * n * i, n);
}
// CHECK-LABEL: @through_two(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 1)
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 1)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@plane(
void through_two(double* a, long n) {
  for (long j = 0; j < n; j++) plane(a + j * 8 * n * n, n);
}

struct matrix {
  long columns, width;
  double* data;
};
// Loads through an argument are hints of the caller's. Of one of its own variables it knows the
// value.
FUNCTION row(const struct matrix* m, const long* at) {
  for (long i = 0; i < m->columns; i++) call(m->data[*at * m->width + i]);
}
// CHECK-LABEL: @loaded(
// CHECK: load i32, ptr @__weft_spans_nodes
// CHECK-NEXT: icmp {{eq|ne}} i32
// CHECK-NEXT: br i1
// CHECK-DAG: call i64 @__weft_hint_load(ptr {{.*}}, i32 8)
// CHECK-DAG: call i64 @__weft_hint_load(ptr {{.*}}, i32 8)
// CHECK-DAG: call i64 @__weft_hint_load(ptr {{.*}}, i32 8)
// CHECK-NOT: @__weft_hint_load
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK: call {{.*}}@row(
void loaded(const struct matrix* m, long n) {
  for (long j = 0; j < n; j++) {
    long at = j + 3;
    row(m, &at);
  }
}

// By a condition that is the same all the time: prefetched, but not as stored to.
FUNCTION by_a_condition(double* a, long n, long flag) {
  if (flag) {
    for (long i = 0; i < n; i++) a[2 * i] = 1;
  }
  call(0);
}
// CHECK-LABEL: @steady(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@by_a_condition(
void steady(double* a, long n, long flag) {
  for (long j = 0; j < n; j++) by_a_condition(a + 10 * n * j, n, flag);
}

// A function that may return before it stores.
FUNCTION may_return(double* a, long n, const long* flag) {
  if (*flag == 3) return;
  call(0);
  for (long i = 0; i < n; i++) a[2 * i] = 1;
}
// CHECK-LABEL: @returns(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@may_return(
void returns(double* a, long n, const long* flag) {
  for (long j = 0; j < n; j++) may_return(a + 10 * n * j, n, flag);
}

// A loop that ends by a bound that it loads again may end early.
FUNCTION until(double* a, const long* n) {
  long i = 0;
  do {
    a[2 * i] = 1;
    call(0);
  } while (++i < *n);
}
// CHECK-LABEL: @ends_early(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@until(
void ends_early(double* a, const long* n, long m) {
  for (long j = 0; j < m; j++) until(a + 1000 * j, n);
}

// By steps, downwards, and in a nest: certain all the same.
FUNCTION nest(double* a, long n, int m) {
  for (long i = n - 1; i >= 0; i--)
    for (int j = 1; j <= m; j += 3) a[i * 1000 + 2 * j] = 1;
}
// CHECK-LABEL: @nests(
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 1)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@nest(
void nests(double* a, long n, int m) {
  for (long j = 0; j < n; j++) nest(a + 1000 * n * j, n, m);
}

// Each thread's share, whose last iteration is loaded again behind each call.
// CHECK-LABEL: define internal void @shares.omp_outlined(
// CHECK: call void @__kmpc_for_static_init
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 1)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@line(
void shares(double* a, long n) {
#pragma omp parallel for
  for (long j = 0; j < n; j++) line(a + 2 * j * n, n, 1);
}

// And before an inner loop that may have no iterations.
// CHECK-LABEL: define internal void @shares_of_nests.omp_outlined(
// CHECK: call void @__kmpc_for_static_init
// CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 1)
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@line(
void shares_of_nests(double* a, long n, long m) {
#pragma omp parallel for
  for (long k = 0; k < n; k++)
    for (long j = 0; j < m; j++) line(a + 3 * k * n * n + 2 * j * n, n, 1);
}
