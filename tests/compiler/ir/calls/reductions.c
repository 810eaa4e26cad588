// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the pass tells the runtime about reductions: a note behind the position of each call, with the
// sizes of the copies (1 bytes, 2 an array's elements, 3 their number, 0 unknown), and whether the
// region ends behind it.
//
// RUN: weftcc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O1 -g -fopenmp -S -emit-llvm %s -o - | FileCheck %s

struct Point {
  double x, y;
};
struct List {
  struct List* next;
};
#pragma omp declare reduction(add:struct Point : omp_out.x += omp_in.x) initializer(omp_priv = {0, 0})
#pragma omp declare reduction(last:struct List : omp_out.next = omp_in.next) initializer(omp_priv = {0})

// A barrier behind a waiting reduction does nothing more (flag 2).
// CHECK-DAG: @weft.note{{.*}} { i32 1413891415, i32 66, {{.*}} }, i32 2, i32 0 }
// CHECK-DAG: @weft.note{{.*}} { i32 1413891415, i32 18, {{.*}} }, i32 1, i32 1, i64 1, i64 2 }
// CHECK-DAG: @weft.note{{.*}} { i32 1413891415, i32 18, {{.*}} }, i32 0, i32 1, i64 1, i64 1 }
// CHECK-DAG: @weft.note{{.*}} { i32 1413891415, i32 18, {{.*}} }, i32 1, i32 4, i64 1, i64 4, i64 1, i64 80, i64 2, i64 8, i64 3, i64 0 }
// CHECK-DAG: @weft.note{{.*}} { i32 1413891415, i32 18, {{.*}} }, i32 1, i32 2, i64 1, i64 16, i64 0, i64 0 }
// CHECK-DAG: @weft.note{{.*}} { i32 1413891415, i32 18, {{.*}} }, i32 0, i32 1, i64 1, i64 8 }

void waits(short* out) {
  short s = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : s)
    for (int i = 0; i < 100; ++i) s += 1;
  }
  *out = s;
}

void more_work_behind(int* behind) {
  signed char c = 0;
#pragma omp parallel
  {
#pragma omp for reduction(+ : c) nowait
    for (int i = 0; i < 100; ++i) c += 1;
    behind[1] = 5;
  }
  behind[0] = c;
}

void ends(double* v, int n) {
  float f = 0;
  double a[10] = {0};
#pragma omp parallel for reduction(+ : f, a, v[0 : n])
  for (int i = 0; i < n; ++i) f += 1, a[i % 10] += 1, v[i] += f;
  v[0] += f + a[1];
}

void user_declared(struct Point* p, struct List* l) {
  struct Point point = *p;
  struct List list = *l;
#pragma omp parallel for reduction(add : point) reduction(last : list)
  for (int i = 0; i < 100; ++i) point.x += i, list.next = l;
  *p = point;
  *l = list;
}

static long shared_sum;
void orphaned(int n) {
#pragma omp for reduction(+ : shared_sum) nowait
  for (int i = 0; i < n; ++i) shared_sum += i;
}
