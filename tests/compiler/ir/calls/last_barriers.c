// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass tells the runtime which barriers of constructs are followed by nothing but their
// region's end (flag 1).
//
// RUN: weftcc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O1 -g -fopenmp -S -emit-llvm %s -o - | FileCheck --check-prefix=DEBUG %s

// DEBUG-COUNT-3: @weft.note{{[.0-9]*}} = {{.*}} }, i32 1, i32 0 }
// DEBUG-NOT: @weft.note{{[.0-9]*}} = {{.*}} }, i32 1, i32 0 }

void f(int);

// CHECK-COUNT-3: @weft.note{{[.0-9]*}} = {{.*}} }, i32 1, i32 0 }
// CHECK-NOT: @weft.note{{[.0-9]*}} = {{.*}} }, i32 1, i32 0 }

void loop_ends(int n) {
#pragma omp parallel
#pragma omp for
  for (int i = 0; i < n; ++i) f(i);
}
// CHECK: define internal void @loop_ends.omp_outlined
// CHECK: call void @__kmpc_barrier(ptr {{.*}}@weft.note

void single_ends(void) {
#pragma omp parallel
  {
    f(1);
#pragma omp single
    f(2);
  }
}
// CHECK: define internal void @single_ends.omp_outlined
// CHECK: call void @__kmpc_barrier(ptr {{.*}}@weft.note

void loop_goes_on(int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) f(i);
    f(3);
  }
}
// CHECK: define internal void @loop_goes_on.omp_outlined
// CHECK: call void @__kmpc_barrier(ptr {{(nonnull )?}}@{{[0-9]+}},

// Threads may come to explicit barriers by several ways.
void barrier_ends(int n) {
#pragma omp parallel
  {
    f(4);
    if (n > 0) {
#pragma omp barrier
    } else {
#pragma omp barrier
      f(5);
    }
  }
}
// CHECK: define internal void @barrier_ends.omp_outlined
// CHECK: call void @__kmpc_barrier(ptr {{(nonnull )?}}@{{[0-9]+}},
// CHECK: call void @__kmpc_barrier(ptr {{(nonnull )?}}@{{[0-9]+}},

void two_loops(int n) {
#pragma omp parallel
  {
#pragma omp for
    for (int i = 0; i < n; ++i) f(i);
#pragma omp for
    for (int i = 0; i < n; ++i) f(-i);
  }
}
// CHECK: define internal void @two_loops.omp_outlined
// CHECK: call void @__kmpc_barrier(ptr {{(nonnull )?}}@{{[0-9]+}},
// CHECK: call void @__kmpc_barrier(ptr {{.*}}@weft.note

// Not known to end a region: others may call it in the middle of theirs.
void orphan(int n) {
#pragma omp for
  for (int i = 0; i < n; ++i) f(i);
}
// CHECK: define {{.*}} @orphan(
// CHECK: call void @__kmpc_barrier(ptr {{(nonnull )?}}@{{[0-9]+}},

// A function that ends one region and is called in the middle of another.
static void ends_and_goes_on(int n) {
#pragma omp for
  for (int i = 0; i < n; ++i) f(i);
}

void call_ends(int n) {
#pragma omp parallel
  ends_and_goes_on(n);
}

static void middle(int n) {
  ends_and_goes_on(n);
  f(6);
}

void call_goes_on(int n) {
#pragma omp parallel
  middle(n);
}
// CHECK: define internal {{.*}}@ends_and_goes_on(
// CHECK: call void @__kmpc_barrier(ptr {{(nonnull )?}}@{{[0-9]+}},
