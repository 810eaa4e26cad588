// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said before a loop does not change it: it is vectorised as it would be, with the same
// comparisons before it. And the ordinary way costs one load and one branch.
//
// RUN: weftcc -O2 -S -emit-llvm %s -o - | grep -c "<2 x double>" > %t.on
// RUN: weftcc -O2 -fno-weft-overwrites -S -emit-llvm %s -o - | grep -c "<2 x double>" > %t.off
// RUN: diff %t.on %t.off
// RUN: weftcc -O2 -Rpass=loop-vectorize -c %s -o %t.o 2>&1 | FileCheck -check-prefix=VECTORISED %s
// RUN: weftcc -O2 -fno-unroll-loops -S %s -o - | FileCheck %s

// CHECK-LABEL: adds:
// CHECK: movq __weft_spans_nodes@GOTPCREL(%rip), [[R:%r..]]
// CHECK-NEXT: cmpl $0, ([[R]])
// CHECK-NEXT: jne
// VECTORISED: ranges_speed.c:[[#@LINE+2]]:{{.*}}vectorized loop
void adds(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i++) a[i] = b[i] + 1;
}

// VECTORISED: ranges_speed.c:[[#@LINE+2]]:{{.*}}vectorized loop
void adds_perhaps_to_itself(double* a, const double* b, int n) {
  for (int i = 0; i < n; i++) a[i] = b[i] + 1;
}

// VECTORISED: ranges_speed.c:[[#@LINE+3]]:{{.*}}vectorized loop
void nest(int n, int m, double a[restrict n][m], const double b[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] = 2 * b[i][j];
}

// A loop without a body of its own is a copy still.
// CHECK-LABEL: copies:
// CHECK: memcpy
void copies(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i++) a[i] = b[i];
}
