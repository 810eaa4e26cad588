// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In a loop the flag is read once, before it; what the guarded operation does not concern is
// vectorised as ever; an operation without a result is still one instruction; and nothing is
// spilled on the fast way.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O2 -fno-unroll-loops -S %s -o - | FileCheck -check-prefix=ASM %s

// CHECK-LABEL: @loop(
// CHECK: load i32, ptr @__weft_threads_elsewhere
// CHECK-NOT: load i32, ptr @__weft_threads_elsewhere
// CHECK-LABEL: @sum(
// ASM-LABEL: loop:
// ASM: __weft_threads_elsewhere@GOTPCREL
// ASM: [[TOP:.LBB[0-9_]+]]:
// ASM: testl
// ASM-NEXT: jne
// ASM-NOT: mov
// ASM: lock
// ASM-SAME: addl
void loop(int *p, int n) {
  for (int i = 0; i < n; i++) {
#pragma omp atomic
    p[i] += 3;
  }
}

// CHECK: fadd <{{[0-9]}} x double>
// CHECK: ret void
void sum(double *restrict a, const double *restrict b, long *done, int n) {
  for (int i = 0; i < n; i++) a[i] += b[i];
#pragma omp atomic
  *done += 1;
}
