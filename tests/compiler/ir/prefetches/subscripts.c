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
