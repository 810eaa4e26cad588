// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is said before a loop does not change it: it is vectorised as it would be. And the ordinary
// way costs one load and one branch, before a nest of loops once.
//
// RUN: weftcc -O3 -S -emit-llvm %s -o - | grep -c "<2 x double>" > %t.on
// RUN: weftcc -O3 -fno-weft-prefetches -S -emit-llvm %s -o - | grep -c "<2 x double>" > %t.off
// RUN: diff %t.on %t.off
// RUN: weftcc -O2 -fno-unroll-loops -S %s -o - | FileCheck %s
// RUN: weftcc -O3 -fno-unroll-loops -S %s -o - | FileCheck %s
// RUN: weftcc -O2 -fno-unroll-loops -S %s -o - | FileCheck -check-prefix=HOT %s
// RUN: weftcc -O3 -fno-unroll-loops -S %s -o - | FileCheck -check-prefix=HOT %s
void call(double);
struct matrix {
  long rows, columns, width;
  double* data;
};

// CHECK-LABEL: adds:
// CHECK: movq __weft_spans_nodes@GOTPCREL(%rip), [[R:%r..]]
// CHECK-NEXT: cmpl $0, ([[R]])
// CHECK-NEXT: jne
void adds(double* restrict a, const double* restrict b, long n) {
  for (long i = 0; i < n; i++) a[i] += b[i];
}

// CHECK-LABEL: nest:
// CHECK: movq __weft_spans_nodes@GOTPCREL(%rip), [[R:%r..]]
// CHECK-NEXT: cmpl $0, ([[R]])
// CHECK-NEXT: jne
// CHECK-NOT: __weft_spans_nodes
// CHECK-LABEL: calls:
void nest(int n, int m, double a[restrict n][m], const double b[restrict n][m]) {
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) a[i][j] += 2 * b[i][j];
}

// Nothing is called on the way, and nothing loaded, but what the program itself calls and loads.
// CHECK: movq __weft_spans_nodes@GOTPCREL(%rip), [[R:%r..]]
// CHECK-NEXT: cmpl $0, ([[R]])
// CHECK-NEXT: jne
// HOT-LABEL: calls:
// HOT-NOT: callq __weft
// HOT: callq call@PLT
// HOT-NOT: callq __weft
// HOT: retq
void calls(struct matrix* m) {
  for (long i = 0; i < m->rows; i++)
    for (long j = 0; j < m->columns; j++) call(m->data[i * m->width + j]);
}

// Hints of which nothing comes are gone: here, addresses that a call may change are loaded by way
// of others that it may change.
// HOT-LABEL: deep:
// HOT-NOT: __weft_
// HOT: retq
void deep(struct matrix*** m) {
  for (long i = 0; i < (**m)->rows; i++)
    for (long j = 0; j < (**m)->columns; j++) call((**m)->data[i * (**m)->width + j]);
}
