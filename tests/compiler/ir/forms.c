// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What becomes of each kind of operation, at -O0 and -O2.
//
// RUN: weftcc -w -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fPIC -S -emit-llvm %s -o - | FileCheck %s

// The flag is the library's: no dso_local, so that it is reached through the GOT.
// CHECK: @__weft_threads_elsewhere = external global i32

// CHECK-LABEL: @update(
// CHECK: [[FLAG:%.*]] = load i32, ptr @__weft_threads_elsewhere, align 4, !invariant.load
// CHECK: [[SPANS:%.*]] = icmp ne i32 [[FLAG]], 0
// CHECK: br i1 [[SPANS]], label %{{.*}}, label %{{.*}}, !prof [[UNLIKELY:![0-9]+]]
// CHECK: store i32 %{{.*}}, ptr [[OPERAND:%.*]], align 4
// CHECK: call void @__weft_atomic_rmw(ptr %{{.*}}, ptr [[OPERAND]], ptr null, i32 4, i32 4, i32 0, i32 0)
// CHECK: atomicrmw add ptr %{{.*}}, i32 %{{.*}} monotonic, align 4
void update(int *p, int v) {
#pragma omp atomic
  *p += v;
}

// CHECK-LABEL: @capture(
// CHECK: call void @__weft_atomic_rmw(ptr %{{.*}}, ptr %{{.*}}, ptr [[OLD:%.*]], i32 8, i32 18, i32 4, i32 5)
// CHECK: [[SLOW:%.*]] = load double, ptr [[OLD]]
// CHECK: [[FAST:%.*]] = atomicrmw fadd ptr %{{.*}}, double %{{.*}} seq_cst
// CHECK: phi double [ [[SLOW]], %{{.*}} ], [ [[FAST]], %{{.*}} ]
double capture(double *p, double v) {
  double old;
#pragma omp atomic capture seq_cst
  {
    old = *p;
    *p += v;
  }
  return old;
}

// CHECK-LABEL: @read(
// CHECK: call void @__weft_atomic_load(ptr %{{.*}}, ptr %{{.*}}, i32 2, i32 2)
// CHECK: load atomic i16, ptr %{{.*}} acquire
short read(short *p) { return __atomic_load_n(p, __ATOMIC_ACQUIRE); }

// CHECK-LABEL: @write(
// CHECK: call void @__weft_atomic_store(ptr %{{.*}}, ptr %{{.*}}, i32 8, i32 3)
// CHECK: store atomic i64 %{{.*}}, ptr %{{.*}} release
void write(void **p, void *v) { __atomic_store_n(p, v, __ATOMIC_RELEASE); }

// CHECK-LABEL: @compare_exchange(
// CHECK: call i32 @__weft_atomic_compare_exchange(ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}}, i32 1, i32 4, i32 0)
// CHECK: cmpxchg ptr %{{.*}}, i8 %{{.*}}, i8 %{{.*}} acq_rel monotonic
int compare_exchange(char *p, char *e, char v) {
  return __atomic_compare_exchange_n(p, e, v, 0, __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

// CHECK-LABEL: @thread_fence(
// CHECK: call void @__weft_fence(i32 5)
// CHECK: fence seq_cst
// CHECK-NOT: __weft_fence
// CHECK: fence syncscope("singlethread") seq_cst
void thread_fence(void) {
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

// Library calls keep their arguments.
// CHECK-LABEL: @extended(
// CHECK: call void @__weft_atomic_load(ptr %{{.*}}, ptr %{{.*}}, i32 16, i32 0)
// CHECK: call void @__atomic_load(i64 {{.*}}16, ptr {{.*}}, ptr {{.*}}, i32 {{.*}}0)
// CHECK: call i32 @__weft_atomic_compare_exchange(ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}}, i32 16, i32 {{[02]}}, i32 {{[02]}})
// CHECK: call {{.*}}i1 @__atomic_compare_exchange(i64 {{.*}}16,
void extended(long double *p, long double v) {
#pragma omp atomic
  *p += v;
}

typedef struct {
  long words[5];
} Large;
// CHECK-LABEL: @large(
// CHECK: call void @__weft_atomic_rmw(ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}}, i32 40, i32 2, i32 0, i32 5)
// CHECK: call void @__atomic_exchange(i64 {{.*}}40,
Large large(_Atomic(Large) *p, Large v) { return __c11_atomic_exchange(p, v, __ATOMIC_SEQ_CST); }

// The flush that OpenMP adds to an ordered operation is not done across nodes, where the operation
// itself has that effect; one that the program asks for is.
// CHECK-LABEL: @ordered_update(
// CHECK: call void @__weft_atomic_rmw({{.*}}, i32 5)
// CHECK: br label %[[AFTER:[0-9]+]]
// CHECK: atomicrmw add ptr {{.*}} seq_cst
// CHECK-NEXT: call void @__kmpc_flush(
// CHECK-NEXT: br label %[[AFTER]]
// CHECK: [[AFTER]]:
// CHECK: call void @__kmpc_flush(
// CHECK: ret void
void ordered_update(int *p, int v) {
#pragma omp atomic seq_cst
  *p += v;
#pragma omp flush
}

// An atomic access that is volatile as well is atomic. One that is only volatile may be a flag, and
// acquires or releases.
// CHECK-LABEL: @volatile_access(
// CHECK: call void @__weft_atomic_rmw(
// CHECK: call void @__weft_atomic_load({{.*}}, i32 4, i32 6)
// CHECK: call void @__weft_atomic_store({{.*}}, i32 8, i32 6)
int volatile_access(volatile int *p, int *volatile *q) {
  int old = __atomic_fetch_add(p, 1, 5) + p[1];
  *q = 0;
  return old;
}

// Numbers, what is not aligned, and what nobody else can name are left alone.
// CHECK-LABEL: @volatile_number(
// CHECK-NOT: __weft
// CHECK: ret double
double volatile_number(volatile double *p, char *q) {
  volatile int here = 3;
  struct __attribute__((packed)) { char c; volatile int i; } *s = (void *)q;
  return *p + here + s->i;
}

// CHECK: [[UNLIKELY]] = !{!"branch_weights", i32 1, i32 {{[0-9]+}}}
