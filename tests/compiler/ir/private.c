// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory that only this thread can name is left as it is.
//
// RUN: weftcc -w -O2 -S -emit-llvm %s -o - | FileCheck %s

// CHECK-LABEL: @local(
// CHECK-NOT: __weft
int local(int n) {
  _Atomic int count = 0;
  for (int i = 0; i < n; i++) __c11_atomic_fetch_add(&count, i, __ATOMIC_RELAXED);
  return count;
}

static _Thread_local int per_thread[4];
// CHECK-LABEL: @thread_local_variable(
// CHECK-NOT: __weft_atomic
// CHECK: atomicrmw
// CHECK-NOT: __weft_atomic
int thread_local_variable(int i) { return __atomic_fetch_add(&per_thread[i], 1, 0); }

// Threads of other nodes may have its address.
static _Thread_local int passed_on;
// CHECK-LABEL: @passed_on_thread_local(
// CHECK: __weft_atomic_rmw
int passed_on_thread_local(void) { return __atomic_fetch_add(&passed_on, 1, 0); }
int *where_is_it(void) { return &passed_on; }

// CHECK-LABEL: @external_thread_local(
// CHECK: __weft_atomic_rmw
_Thread_local int external;
int external_thread_local(void) { return __atomic_fetch_add(&external, 1, 0); }

void use(int *);
// CHECK-LABEL: @escaped(
// CHECK: __weft_atomic_rmw
int escaped(void) {
  int count = 0;
  use(&count);
  __atomic_fetch_add(&count, 1, 0);
  return count;
}
