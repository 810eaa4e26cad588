// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass tells the runtime of which single regions the other threads wait for the end (flag 4).
//
// RUN: weftcc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O1 -g -fopenmp -S -emit-llvm %s -o - | FileCheck %s

void f(int);

// CHECK-LABEL: define {{.*}} @waits(
void waits(void) {
// CHECK: call i32 @__kmpc_single(ptr {{.*}}@weft.note
#pragma omp single
  f(1);
}

// CHECK-LABEL: define {{.*}} @hands_over(
void hands_over(void) {
  int x;
// CHECK: call i32 @__kmpc_single(ptr {{.*}}@weft.note
#pragma omp single copyprivate(x)
  x = 3;
  f(x);
}

// CHECK-LABEL: define {{.*}} @goes_on(
void goes_on(void) {
// CHECK-NOT: @weft.note
// CHECK: call i32 @__kmpc_single(
#pragma omp single nowait
  f(2);
  f(3);
}

// CHECK-LABEL: define {{.*}} @goes_on_to_caller(
void goes_on_to_caller(void) {
// CHECK-NOT: @weft.note
// CHECK: call i32 @__kmpc_single(
#pragma omp single nowait
  f(4);
}

// CHECK-LABEL: define {{.*}} @barrier_follows(
void barrier_follows(void) {
// CHECK: call i32 @__kmpc_single(ptr {{.*}}@weft.note
#pragma omp single nowait
  f(5);
#pragma omp barrier
}

// CHECK-LABEL: define {{.*}} @region_ends(
void region_ends(void) {
#pragma omp parallel
  {
    f(6);
#pragma omp single nowait
    f(7);
  }
}
// CHECK: define internal void @region_ends.omp_outlined
// CHECK: call i32 @__kmpc_single(ptr {{.*}}@weft.note
