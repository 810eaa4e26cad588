// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Relaxed operations order across nodes where a barrier for the compiler is beside them; on one node they are as they
// were.
//
// RUN: weftcc -O1 -S -emit-llvm %s -o - | FileCheck %s

#include <stdatomic.h>

// CHECK-LABEL: define {{.*}} @handed(
// CHECK-DAG: store atomic i32 %1, ptr %0 monotonic
// CHECK-DAG: call void @__weft_atomic_store(ptr %0, ptr {{.*}}, i32 4, i32 3)
void handed(atomic_int* flag, int value) {
  __asm__ __volatile__("" : : : "memory");
  atomic_store_explicit(flag, value, memory_order_relaxed);
}

// CHECK-LABEL: define {{.*}} @taken(
// CHECK-DAG: load atomic i32, ptr %0 monotonic
// CHECK-DAG: call void @__weft_atomic_load(ptr %0, ptr {{.*}}, i32 4, i32 2)
int taken(atomic_int* flag) {
  const int value = atomic_load_explicit(flag, memory_order_relaxed);
  atomic_signal_fence(memory_order_acquire);
  return value;
}

// CHECK-LABEL: define {{.*}} @counted(
// CHECK: call void @__weft_atomic_rmw(ptr %0, {{.*}}, i32 4)
void counted(atomic_int* count) {
  __asm__ __volatile__("" : : : "memory");
  atomic_fetch_add_explicit(count, 1, memory_order_relaxed);
}

// CHECK-LABEL: define {{.*}} @changed(
// CHECK: call i32 @__weft_atomic_compare_exchange(ptr %0, {{.*}}, i32 4, i32 2)
int changed(atomic_int* word, int from, int to) {
  __asm__ __volatile__("" : : : "memory");
  return atomic_compare_exchange_strong_explicit(word, &from, to, memory_order_relaxed, memory_order_relaxed);
}

// With operands it holds a value back from the optimiser.
// CHECK-LABEL: define {{.*}} @measured(
// CHECK: call void @__weft_atomic_rmw(ptr %0, {{.*}}, i32 0)
void measured(atomic_int* count) {
  int value = 1;
  __asm__ __volatile__("" : "+r"(value) : : "memory");
  atomic_fetch_add_explicit(count, value, memory_order_relaxed);
}
