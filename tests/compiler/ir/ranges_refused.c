// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops of which nothing can be said, and why. Only then may the memory's contents matter.
//
// RUN: weftcc -O2 -fno-weft-prefetches -S -emit-llvm -Rpass=weft -Rpass-missed=weft %s -o %t.ll 2> %t.remarks
// RUN: FileCheck -check-prefix=CODE %s < %t.ll
// RUN: FileCheck -implicit-check-not "not fetched" %s < %t.remarks
// CODE-NOT: @__weft_overwrite(
#include <stdlib.h>
#include <string.h>

void use(void*);
void call(double);
struct record {
  double x, y;
};
double few[4000];

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}a load of the same memory before it is stored
void in_place(double* a, long n) {
  for (long i = 0; i < n; i++) a[i] = 2 * a[i];
}

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}a load of the same memory before it is stored
void shifted(double* a, long n) {
  for (long i = 0; i < n; i++) a[i] = 2 * a[i + 1];
}

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}a load of the same memory before it is stored
void shifted_downwards(double* a, long n) {
  for (long i = n - 1; i > 0; i--) a[i] = 2 * a[i - 1];
}

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}a load that may be of the same memory
void gathers(double* a, const double* b, const int* from, long n) {
  for (long i = 0; i < n; i++) a[i] = b[from[i]];
}

// CHECK: ranges_refused.c:[[#@LINE+3]]:{{.*}}a store that is not made each time
void some(double* a, const int* b, long n) {
  for (long i = 0; i < n; i++)
    if (b[i] > 0) a[i] = i;
}

// CHECK: ranges_refused.c:[[#@LINE+4]]:{{.*}}the loop may end before
void ends(double* a, const int* b, long n) {
  for (long i = 0; i < n; i++) {
    if (b[i] > 0) break;
    a[i] = i;
  }
}

// CHECK: ranges_refused.c:[[#@LINE+3]]:{{.*}}a call in the loop
void calls(double* a, long n) {
  for (long i = 0; i < n; i++) {
    a[i] = i;
    call(i);
  }
}

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}the addresses are not consecutive
void gaps(struct record* a, long n) {
  for (long i = 0; i < n; i++) a[i].x = i;
}

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}the addresses are not consecutive
void strides(double* a, long n) {
  for (long i = 0; i < n; i += 2) a[i] = i;
}

// CHECK: ranges_refused.c:[[#@LINE+2]]:{{.*}}the addresses are not consecutive
void scatters(double* a, const int* to, long n) {
  for (long i = 0; i < n; i++) a[to[i]] = i;
}

// CHECK: ranges_refused.c:[[#@LINE+4]]:{{.*}}a volatile access in the loop
void looks(double* a, volatile int* flag, long n) {
  for (long i = 0; i < n; i++) {
    (void)*flag;
    a[i] = i;
  }
}

// CHECK: ranges_refused.c:[[#@LINE+5]]:{{.*}}an atomic operation in the loop
void counts(double* a, int* count, long n) {
  for (long i = 0; i < n; i++) {
#pragma omp atomic
    ++*count;
    a[i] = i;
  }
}

// CHECK: ranges_refused.c:[[#@LINE+3]]:{{.*}}the number of iterations is not known
void until(double* a, const int* next, int i) {
  double* at = a;
  for (; i != 0; i = next[i]) *at++ = 1;
}

// Too few bytes for anybody: no remark.
// CHECK-NOT: ranges_refused.c
void small(void) {
  for (int i = 0; i < 4000; i++) few[i] = i;
}
void small_at_most(int n) {
  for (int i = 0; i < n; i++) few[i] = i;
}
void small_count(double* a, unsigned char n) {
  for (int i = 0; i < n; i++) a[i] = i;
}
void small_copy(void* p, const void* q) { memcpy(p, q, 32767); }

// The function's own.
double own(long n) {
  double a[100000];
  double sum = 0;
  for (long i = 0; i < n; i++) a[i] = i * 0.5 + n;
  for (long i = 0; i < n; i++) sum += a[(i * 7919) % n];
  return sum;
}
_Thread_local double each[100000];
void threads_own(void) {
  for (int i = 0; i < 100000; i++) each[i] = i;
}
