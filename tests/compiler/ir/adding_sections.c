// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Critical sections that only add are begun by a right; others are left as they are.
//
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
#include <omp.h>

omp_lock_t lock;
double sum, term, other;
long count;
double* volatile somewhere;

// CHECK-LABEL: define {{.*}} @adds(
// CHECK: load i32, ptr @__weft_threads_elsewhere
// CHECK: call i64 @__weft_begin_adding(i32 0, ptr {{.*}}@lock, ptr {{.*}}, i32 2)
// CHECK: call i32 @__weft_add(i32 0, ptr {{.*}}@lock, i64 {{.*}}, i32 2, ptr {{.*}}, i32 1)
// CHECK-NEXT: switch i32
// CHECK: call {{.*}} @omp_set_lock
// CHECK: call {{.*}} @omp_unset_lock
void adds(void) {
  omp_set_lock(&lock);
  sum -= term * 0.5;
  count += 1;
  omp_unset_lock(&lock);
}

// CHECK-LABEL: define {{.*}} @adds_critically(
// CHECK: call i64 @__weft_begin_adding(i32 1,
void adds_critically(double mine) {
#pragma omp critical
  sum += mine;
}

// CHECK-LABEL: define {{.*}} @looks(
// CHECK-NOT: @__weft_begin_adding
// CHECK: ret
double looks(void) {
  omp_set_lock(&lock);
  double before = sum;
  sum += term;
  omp_unset_lock(&lock);
  return before;
}

// CHECK-LABEL: define {{.*}} @sets(
// CHECK-NOT: @__weft_begin_adding
// CHECK: ret
void sets(void) {
  omp_set_lock(&lock);
  sum += term;
  other = term;
  omp_unset_lock(&lock);
}

// CHECK-LABEL: define {{.*}} @adds_there(
// CHECK: load ptr, ptr %
// CHECK: call i64 @__weft_begin_adding(i32 0, ptr {{.*}}@lock, ptr {{.*}}, i32 2)
// CHECK: load ptr, ptr %
// CHECK: call i32 @__weft_add(
void adds_there(double** to, double mine) {
  omp_set_lock(&lock);
  **to = **to + mine + term;
  omp_unset_lock(&lock);
}

// CHECK-LABEL: define {{.*}} @follows(
// CHECK-NOT: @__weft_begin_adding
// CHECK: ret
void follows(double** from) {
  omp_set_lock(&lock);
  sum += **from;
  omp_unset_lock(&lock);
}

// CHECK-LABEL: define {{.*}} @multiplies(
// CHECK-NOT: @__weft_begin_adding
// CHECK: ret
void multiplies(void) {
  omp_set_lock(&lock);
  sum *= term;
  omp_unset_lock(&lock);
}
