// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The short loops of a function that is called are unrolled into many ways through one line, all of
// them together the whole of it. A loop that calls it says the line once, and has room for what it
// uses itself.
//
// RUN: weftcc -O3 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O3 -g -S -emit-llvm -Rpass=weft %s -o %t.ll 2>&1 | FileCheck -check-prefix=REMARK %s
#define FUNCTION __attribute__((noinline)) void

FUNCTION butterfly(double* line) {
  for (int half = 1; half < 64; half *= 2)
    for (int begin = 0; begin < 64; begin += 2 * half)
      for (int k = 0; k < half; k++) {
        const double low = line[begin + k], high = line[begin + half + k];
        line[begin + k] = low + high;
        line[begin + half + k] = low - high;
      }
}

// Of both arrays, and of the line.
// CHECK-LABEL: @transpose(
// CHECK-COUNT-3: call preserve_mostcc void @__weft_prefetch(
// CHECK-NOT: @__weft_prefetch
// CHECK: call {{.*}}@butterfly(
void transpose(double (*restrict to)[64][64], double (*restrict from)[64][64], long n) {
  for (long y = 0; y < n; y++) {
    for (int z = 0; z < 64; z++)
      // REMARK-DAG: unrolled.c:[[#@LINE+1]]:{{.*}}remark: fetched before the loop of line [[#@LINE-2]]
      for (int x = 0; x < 64; x++) to[y][x][z] = from[z][y][x];
    // REMARK-DAG: unrolled.c:[[#@LINE+1]]:{{.*}}what is used in the call is fetched before the loop of line [[#@LINE-4]]
    for (int x = 0; x < 64; x++) butterfly(to[y][x]);
  }
}
// Once, of all the copies.
// REMARK-NOT: what is used in the call
