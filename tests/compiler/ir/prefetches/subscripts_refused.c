// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Values that lead nowhere that one could know, or to little.
//
// RUN: weftcc -O2 -fno-weft-overwrites -S -emit-llvm -Rpass-missed=weft %s -o %t.ll 2> %t.remarks
// RUN: FileCheck -check-prefix=CODE %s < %t.ll
// RUN: FileCheck %s < %t.remarks
// CODE-NOT: call void @__weft_prefetch_indirect(
void call(double);

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the address does not advance by a stride
void remainders(const double* a, const int* b, long n) {
  for (long i = 0; i < n; i++)
    call(a[b[i] % 9000]);
}

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the address does not advance by a stride
void squares(const double* a, const int* b, long n) {
  for (long i = 0; i < n; i++)
    call(a[(long)b[i] * b[i]]);
}

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the address does not advance by a stride
void two(double* const* a, const int* b, long n) {
  for (long i = 0; i < n; i++)
    call(a[i][b[i]]);
}

// The values before the loop are not those that it loads.
// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the address does not advance by a stride
void counted(double* a, int* b, long n) {
  for (long i = 0; i < n; i++)
    call(a[b[i]++]);
}

// CHECK: refused.c:[[#@LINE+4]]:{{.*}}it is not used each time
void sometimes(const double* a, const int* b, long n) {
  for (long i = 0; i < n; i++)
    if (b[i] >= 0)
      call(a[b[i]]);
}

// Far apart: more would be fetched than used.
// CHECK: refused.c:[[#@LINE+4]]:{{.*}}
void columns(double* const* a, long n, long m) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j < m; j++)
      call(a[i][j * 1000]);
}

// No more than 256 elements.
void bytes(const double* a, const unsigned char* b, long n) {
  for (long i = 0; i < n; i++) call(a[b[i]]);
}

// No more than some.
void few(const double* a, const int* b) {
  for (long i = 0; i < 60; i++) call(a[b[i]]);
}

// It ends at a value that nobody knows.
// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the number of iterations is not known before the loop
void until(const double* a, const int* b) {
  for (long i = 0;; i++)
    if (a[b[i]] == 0) break;
}
