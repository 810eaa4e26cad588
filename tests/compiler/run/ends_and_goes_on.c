// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A static function ends with a loop. One region calls it at its end, another in its middle: there
// its barrier is not the region's last one, and threads go on only when all have come.
//
// REQUIRES: cluster
// RUN: weftcc -O0 -fopenmp %s -o %t.O0
// RUN: weftcc -O2 -fopenmp %s -o %t
// RUN: weft run -n 2 --threads 1 --spread always %t.O0 | FileCheck %s
// RUN: weft run -n 2 --threads 1 --spread always %t | FileCheck %s
// RUN: weft run -n 3 --threads 1 --spread always %t | FileCheck %s
// RUN: %t | FileCheck %s
//
// CHECK: sum 420000
#include <stdio.h>

enum { N = 2000 };

static int a[N], b[N];

__attribute__((noinline)) static void add(int value) {
#pragma omp for
  for (int i = 0; i < N; ++i) a[i] += value;
}

__attribute__((noinline)) static void add_and_turn(int value) {
  add(value);
#pragma omp for
  for (int i = 0; i < N; ++i) b[i] = a[N - 1 - i];
}

int main(void) {
  for (int turn = 1; turn <= 20; ++turn) {
#pragma omp parallel
    add(turn);
#pragma omp parallel
    {
      add_and_turn(0);
      add_and_turn(0);
    }
  }
  long sum = 0;
  for (int i = 0; i < N; ++i) sum += b[i];
  printf("sum %ld\n", sum);
  return 0;
}
