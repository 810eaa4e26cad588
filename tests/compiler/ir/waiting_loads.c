// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A load in a loop that does nothing but look may take long from the second turn on: its order gets
// a mark then (256). In a loop that does something else, or counts its turns, it gets none.
//
// RUN: weftcc -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

int flag, other, data;
volatile int done;
void use(int);

// CHECK-LABEL: define {{.*}} @waits(
// CHECK: [[MARK:%[0-9]+]] = phi i32 [ 256, %{{[0-9]+}} ], [ 0, %{{[0-9]+}} ]
// CHECK: [[ORDER:%[0-9]+]] = or i32 2, [[MARK]]
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@flag, {{.*}}, i32 4, i32 [[ORDER]])
void waits(void) {
  while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0) {
  }
}

// CHECK-LABEL: define {{.*}} @waits_and_pauses(
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@done, {{.*}}, i32 4, i32 6)
// CHECK: [[ORDER:%[0-9]+]] = or i32 6, %
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@done, {{.*}}, i32 4, i32 [[ORDER]])
void waits_and_pauses(void) {
  while (!done) __builtin_ia32_pause();
}

// CHECK-LABEL: define {{.*}} @flushes(
// CHECK: [[ORDER:%[0-9]+]] = or i32 0, %
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@flag, {{.*}}, i32 4, i32 [[ORDER]])
void flushes(void) {
  int seen;
  do {
#pragma omp flush
#pragma omp atomic read
    seen = flag;
  } while (seen == 0);
}

// CHECK-LABEL: define {{.*}} @gives_up(
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@flag, {{.*}}, i32 4, i32 2)
void gives_up(void) {
  for (int turn = 0; turn < 1000; ++turn) {
    if (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != 0) break;
  }
}

// CHECK-LABEL: define {{.*}} @works(
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@flag, {{.*}}, i32 4, i32 0)
void works(void) {
  while (__atomic_load_n(&flag, __ATOMIC_RELAXED) == 0) ++data;
}

// CHECK-LABEL: define {{.*}} @calls(
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@flag, {{.*}}, i32 4, i32 2)
void calls(void) {
  while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) == 0) use(other);
}

// CHECK-LABEL: define {{.*}} @looks_once(
// CHECK: call void @__weft_atomic_load(ptr {{.*}}@flag, {{.*}}, i32 4, i32 2)
int looks_once(void) { return __atomic_load_n(&flag, __ATOMIC_ACQUIRE); }
