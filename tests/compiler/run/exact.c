// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One of each form, and exactly the calls that it becomes on the slow path: operation, size, type,
// order, and whether the old value is asked for.
//
// RUN: weftcc -w -O0 %s -o %t.O0 -latomic && env WEFT_TEST_LOG=1 %node %t.O0 2>&1 | FileCheck -match-full-lines %s
// RUN: weftcc -w -O2 %s -o %t.O2 -latomic && env WEFT_TEST_LOG=1 %node %t.O2 2>&1 | FileCheck -match-full-lines %s
#include <stdatomic.h>

static int word = 1;
static unsigned long counter;
static double number = 1;
static float least = 5;
static unsigned char byte;
static _Float16 half;
static __int128 wide;
static int *_Atomic pointer;
_Atomic _Bool flag;

int main(void) {
  int old = 0;
  double read;
#pragma omp atomic
  word += 2;
// CHECK: add 4 integer relaxed
#pragma omp atomic capture
  old = word++;
// CHECK-NEXT: add 4 integer relaxed old
#pragma omp atomic seq_cst capture
  {
    old = word;
    word |= 64;
  }
// CHECK-NEXT: or 4 integer seq_cst old
#pragma omp atomic
  number += 2.5;
// CHECK-NEXT: fadd 8 double relaxed
#pragma omp atomic
  number -= 1;
// CHECK-NEXT: f{{add|sub}} 8 double relaxed
#pragma omp atomic compare
  if (least > 3) least = 3;
// CHECK-NEXT: fmin 4 float relaxed
#pragma omp atomic
  half += 1;
// CHECK-NEXT: fadd 2 half relaxed
#pragma omp atomic
  number *= 3;
// CHECK-NEXT: load 8 relaxed
// CHECK-NEXT: compare-exchange 8 relaxed relaxed
#pragma omp atomic read acquire
  read = number;
// CHECK-NEXT: load 8 acquire
#pragma omp atomic write release
  number = read;
// CHECK-NEXT: store 8 release
#pragma omp atomic compare
  counter = counter < 7 ? 7 : counter;
// CHECK-NEXT: umax 8 integer relaxed
  atomic_store(&pointer, &word);
// CHECK-NEXT: store 8 seq_cst
  old += *atomic_exchange_explicit(&pointer, &old, memory_order_acq_rel);
// CHECK-NEXT: exchange 8 integer acq_rel old
  old += __atomic_fetch_nand(&byte, 3, __ATOMIC_ACQUIRE);
// CHECK-NEXT: nand 1 integer acquire old
  unsigned char expected = 9;
  __atomic_compare_exchange_n(&byte, &expected, 1, 0, __ATOMIC_RELEASE, __ATOMIC_ACQUIRE);
// CHECK-NEXT: compare-exchange 1 release acquire
  flag = 1;
// CHECK-NEXT: store 1 seq_cst
  __atomic_fetch_add(&wide, 1, __ATOMIC_RELAXED);
// CHECK-NEXT: add 16 integer relaxed{{( old)?}}
  atomic_thread_fence(memory_order_acquire);
// CHECK-NEXT: fence acquire
  atomic_signal_fence(memory_order_seq_cst);
  return word + old == 0;
}
// The last line counts what the lines above show.
// CHECK-NEXT: loads 2 stores 3 updates 11 exchanges 2 fences 1
