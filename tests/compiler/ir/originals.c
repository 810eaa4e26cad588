// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass tells the runtime where the program stores to what a reduction adds to.
//
// RUN: weftcc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

double sum, other, many[100];
void fill(double*);
void use(double);

// CHECK-LABEL: define {{.*}} @sets(
void sets(void) {
  // CHECK-NOT: @__weft_wrote_original
  // CHECK: store double 3.0
  other = 3;
  // CHECK: call void @__weft_wrote_original()
  // CHECK: store double 4.0
  sum = 4;
}

// CHECK-LABEL: define {{.*}} @sets_many(
void sets_many(double value) {
  // Once, before the loop.
  // CHECK: call void @__weft_wrote_original()
  // CHECK-NOT: call void @__weft_wrote_original()
  for (int i = 0; i < 100; i++) many[i] = value;
  // CHECK: call void @use(
  use(1);
}

// CHECK-LABEL: define {{.*}} @hands_out(
void hands_out(void) {
  // CHECK: call void @fill(ptr {{.*}}@sum)
  // CHECK: call void @__weft_wrote_original()
  fill(&sum);
}

// CHECK-LABEL: define {{.*}} @reads(
double reads(void) {
  // CHECK-NOT: @__weft_wrote_original
  // CHECK: ret double
  return sum;
}

// CHECK-LABEL: define {{.*}} @adds(
void adds(int n) {
  // What is added in the end is the reduction's own affair.
  // CHECK-NOT: @__weft_wrote_original
  // CHECK: call i32 @__kmpc_reduce(
  // CHECK-NOT: @__weft_wrote_original
  // CHECK: ret void
#pragma omp for reduction(+ : sum, many)
  for (int i = 0; i < n; i++) {
    sum += i;
    many[i] += 1;
  }
}
