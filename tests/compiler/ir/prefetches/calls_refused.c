// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of which a loop does not know what they will use. The functions say it themselves.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck -implicit-check-not=@__weft_hint_load %s
// RUN: weftcc -O3 -march=x86-64-v3 -S -emit-llvm %s -o - | FileCheck %s
#include <stdarg.h>
#define FUNCTION __attribute__((noinline)) void
void call(double);

// Whoever calls itself has other arguments each time.
FUNCTION recursive(double* a, long n) {
  for (long i = 0; i < n; i++) a[2 * i] += 1;
  if (n > 1) {
    recursive(a + 10, n / 2);
    recursive(a + 20, n / 3);
    call(0);
  }
}
// CHECK-LABEL: @recursive_calls(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void recursive_calls(double* a, long n) {
  for (long j = 0; j < n; j++) recursive(a + 10 * n * j, n);
}

// CHECK-LABEL: @indirect_calls(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void indirect_calls(double* a, long n, void (*line)(double*, long)) {
  for (long j = 0; j < n; j++) line(a + 10 * n * j, n);
}

// The linker may take another one.
// CHECK-LABEL: @replaceable(
// CHECK: @__weft_prefetch
// CHECK-LABEL: @replaceable_calls(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
__attribute__((weak)) void replaceable(double* a, long n) {
  for (long i = 0; i < n; i++) a[2 * i] += 1;
}
void replaceable_calls(double* a, long n) {
  for (long j = 0; j < n; j++) replaceable(a + 10 * n * j, n);
}

FUNCTION variadic(double* a, long n, ...) {
  for (long i = 0; i < n; i++) a[2 * i] += 1;
  va_list rest;
  va_start(rest, n);
  call(va_arg(rest, double));
  va_end(rest);
}
// CHECK-LABEL: @variadic_calls(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void variadic_calls(double* a, long n) {
  for (long j = 0; j < n; j++) variadic(a + 10 * n * j, n, 0.5);
}

// Arguments that nobody knows before the loop.
FUNCTION line(double* a, long n) {
  for (long i = 0; i < n; i++) a[2 * i] += 1;
}
long next(void);
// CHECK-LABEL: @unknown_places(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void unknown_places(double* a, long n) {
  for (long j = 0; j < n; j++) line(a + next(), n);
}
// CHECK-LABEL: @unknown_lengths(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void unknown_lengths(double* a, long n) {
  for (long j = 0; j < n; j++) line(a + 10 * n * j, next());
}
// CHECK-LABEL: @indirect_places(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void indirect_places(double** a, long n) {
  for (long j = 0; j < n; j++) line(a[next()], n);
}

// A variable that changes in the loop other than by a store before the call.
FUNCTION row(double* a, const long* at) {
  for (long i = 0; i < 10000; i++) a[*at * 20000 + 2 * i] += 1;
}
// CHECK-LABEL: @own_variable(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void own_variable(double* a, long n) {
  long at = 0;
  for (long j = 0; j < n; j++) {
    row(a, &at);
    at += next();
  }
}

// What the function computes otherwise, as by a call, its callers do not.
long length_of(const double*);
FUNCTION asks(double* a) {
  const long n = length_of(a);
  for (long i = 0; i < n; i++) a[2 * i] += 1;
}
// CHECK-LABEL: @computed(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void computed(double* a, long n) {
  for (long j = 0; j < n; j++) asks(a + 10 * n * j);
}

// Others' writes are there only behind it, in the function or in one that it calls.
FUNCTION waits(void) {
#pragma omp barrier
}
FUNCTION synchronises(double* a, long n) {
  line(a, n);
  waits();
}
// CHECK-LABEL: @synchronising_calls(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void synchronising_calls(double* a, long n) {
  for (long j = 0; j < n; j++) synchronises(a + 10 * n * j, n);
}
// CHECK-LABEL: @synchronising_loop(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void synchronising_loop(double* a, long n) {
  for (long j = 0; j < n; j++) {
    line(a + 10 * n * j, n);
    waits();
  }
}

// A condition that changes from call to call.
FUNCTION sometimes(double* a, long n, long at) {
  call(0);
  if (at == 3) {
    for (long i = 0; i < n; i++) a[2 * i] += 1;
  }
}
// CHECK-LABEL: @changing_condition(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
void changing_condition(double* a, long n) {
  for (long j = 0; j < n; j++) sometimes(a + 10 * n * j, n, next());
}

// The caller's own.
// CHECK-LABEL: @own_memory(
// CHECK-NOT: @__weft_prefetch
// CHECK: ret void
FUNCTION small(double* a, long n) {
  for (long i = 0; i < n; i++) a[2 * i] += 1;
}
void own_memory(long n) {
  double a[1000];
  for (long j = 0; j < n; j++) {
    small(a + j, n);
    call(a[j]);
  }
}
