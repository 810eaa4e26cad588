// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is fetched when it is touched, and why.
//
// RUN: weftcc -O2 -fno-weft-overwrites -S -emit-llvm -Rpass=weft -Rpass-missed=weft %s -o %t.ll 2> %t.remarks
// RUN: FileCheck -check-prefix=CODE %s < %t.ll
// RUN: FileCheck -implicit-check-not "fetched when" %s < %t.remarks
// RUN: weftcc -O3 -march=x86-64-v3 -fno-weft-overwrites -S -emit-llvm %s -o - | FileCheck -check-prefix=CODE %s
// CODE-NOT: @__weft_prefetch(
// CODE-NOT: @__weft_hint_load(
void call(double);
double few[4000], grid[50][50];
struct list {
  struct list* next;
  double value;
};

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}it is not used each time
void some(const double* a, const volatile int* flag, long n) {
  for (long i = 0; i < n; i++)
    if (*flag) call(a[i]);
}

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the address does not advance by a stride
void indirect(const double* a, long n) {
  for (int i = 0; i < 4000; i++)
    call(a[(int)few[i]]);
}

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the address does not advance by a stride
void squares(const double* a, long n) {
  for (long i = 0; i < n; i++)
    call(a[i * i]);
}

// The first row and no other is known before the loop of rows, which is too often for a row.
// CHECK: refused.c:[[#@LINE+4]]:{{.*}}rows of different lengths
void triangle(const double* a, long n) {
  for (long i = 0; i < n; i++)
    for (long j = 0; j <= i; j++)
      call(a[i * n + j]);
}

// CHECK: refused.c:[[#@LINE+4]]:{{.*}}the loop synchronises
void barriers(const double* a, long n) {
  for (long i = 0; i < n; i++) {
#pragma omp barrier
    call(a[i]);
  }
}

// CHECK: refused.c:[[#@LINE+4]]:{{.*}}the loop synchronises
void critical(const double* a, long n) {
  for (long i = 0; i < n; i++) {
#pragma omp critical
    call(a[i]);
  }
}

// CHECK: refused.c:[[#@LINE+5]]:{{.*}}the loop synchronises
void locks(const double* a, void* lock, long n) {
  int omp_test_lock(void*);
  for (long i = 0; i < n; i++) {
    omp_test_lock(lock);
    call(a[i]);
  }
}

// CHECK: refused.c:[[#@LINE+4]]:{{.*}}the loop synchronises
void acquires(const double* a, const int* flag, long n) {
  for (long i = 0; i < n; i++) {
    (void)__atomic_load_n(flag, __ATOMIC_ACQUIRE);
    call(a[i]);
  }
}

// CHECK: refused.c:[[#@LINE+3]]:{{.*}}the number of iterations is not known before the loop
void until(const double* a, double end) {
  for (long i = 0;; i++)
    if (a[i] == end) break;
}

// Not in use of the program's memory as it is: no remark.
// CHECK-NOT: refused.c
void volatiles(const volatile double* a, long n) {
  for (long i = 0; i < n; i++) call(a[i]);
}
void atomics(const double* a, long n) {
  for (long i = 0; i < n; i++) {
    double value;
    __atomic_load(&a[i], &value, __ATOMIC_RELAXED);
    call(value);
  }
}

// Too few bytes for anybody.
void small(void) {
  for (int i = 0; i < 4000; i++) call(few[i]);
}
void small_at_most(int n) {
  for (int i = 0; i < n; i++) call(few[i]);
}
void small_part(const double* a) {
  for (int i = 0; i < 4000; i++) call(a[i]);
}
void small_nest(void) {
  for (int i = 0; i < 50; i++)
    for (int j = 0; j < 50; j++) call(grid[j][i]);
}

// The function's own.
double own(long n) {
  double a[100000];
  double sum = 0;
  for (long i = 0; i < n; i++) a[i] = i * 0.5 + n;
  for (long i = 0; i < n; i++) sum += a[(i * 7919) % n];
  return sum;
}
_Thread_local double each[100000];
void threads_own(void) {
  for (int i = 0; i < 100000; i++) call(each[i]);
}
