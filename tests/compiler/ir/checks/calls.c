// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With -fweft-check-ranges, accesses are compared with what was said before their loop: on one node,
// too, and beside the calls that say it.
//
// RUN: weftcc -O2 -fweft-check-ranges -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O1 -fweft-check-ranges -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: env WEFT_CHECK_RANGES=on weftcc -O3 -g -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -O2 -fweft-check-ranges -fno-weft-check-ranges -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O2 -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O0 -fweft-check-ranges -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// RUN: weftcc -O2 -fweft-check-ranges -fno-weft-prefetches -fno-weft-overwrites -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
// NOTHING-NOT: __weft_{{watch|check}}
// NOTHING-NOT: weft.ranges
#include <string.h>

double many[2000][1000];

// Places name the file, the function, a variable, and the line.
// CHECK-DAG: [[FILE:@weft.place.*]] = private {{.*}}constant {{.*}}calls.c\00"
// CHECK-DAG: [[FILLS:@weft.place.*]] = private {{.*}}constant {{.*}}c"fills\00"
// CHECK-DAG: [[STORE:@weft.place.*]] = private {{.*}}constant {{.*}} { ptr {{.*}}, ptr [[FILLS]], ptr null, i32 [[#@LINE + 11]], i32 37 }
// CHECK-DAG: c"many\00"

// Each store, and all of them at the end. Nothing is loaded.
// CHECK-LABEL: @fills(
// CHECK: [[IS_SAID:%.*]] = zext i1 {{.*}} to i32
// CHECK: [[WATCH:%.*]] = {{.*}}call ptr @__weft_watch_overwrite(ptr {{.*}}[[STORE]], ptr %{{.*}}, i64 [[BYTES:%.*]], i32 [[IS_SAID]])
// CHECK-NOT: __weft_check_load
// CHECK-DAG: call void @__weft_check_overwrite(ptr [[WATCH]], ptr {{.*}}[[STORE]], ptr %{{.*}}, i64 8)
// CHECK-DAG: call void @__weft_end_watch(ptr [[WATCH]])
void fills(double* a, long n) {
  for (long i = 0; i < n; i++) a[i] = 0.5 + i;
}

// Loads, as they could be of the range; and both are what was said that they use.
// CHECK-LABEL: @copies(
// CHECK: [[WATCH:%.*]] = {{.*}}call ptr @__weft_watch_overwrite(
// CHECK: [[STORES:%.*]] = {{.*}}call ptr @__weft_watch_prefetch(ptr {{.*}}, ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 1)
// CHECK: [[LOADS:%.*]] = {{.*}}call ptr @__weft_watch_prefetch(ptr {{.*}}, ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
// CHECK-DAG: call void @__weft_check_load(ptr [[WATCH]],
// CHECK-DAG: call void @__weft_check_overwrite(ptr [[WATCH]],
// CHECK-DAG: call void @__weft_check_use(ptr {{.*}}, ptr {{.*}}, i64 8, i32 0, ptr [[LOADS]], ptr null)
// CHECK-DAG: call void @__weft_check_use(ptr {{.*}}, ptr {{.*}}, i64 8, i32 1, ptr [[STORES]], ptr null)
// CHECK-DAG: call void @__weft_end_watch(ptr [[WATCH]])
// CHECK-DAG: call void @__weft_end_watch(ptr [[STORES]])
// CHECK-DAG: call void @__weft_end_watch(ptr [[LOADS]])
void copies(double* a, const double* b, long n) {
  for (long i = 0; i < n; i++) a[i] = b[i] * 0.5;
}

// A copy by itself ends behind itself.
// CHECK-LABEL: @one_copy(
// CHECK: [[WATCH:%.*]] = {{.*}}call ptr @__weft_watch_overwrite(ptr {{.*}}, ptr {{.*}}@many, i64 80000, i32 1)
// CHECK-NEXT: call void @__weft_check_load(ptr [[WATCH]], ptr {{.*}}, ptr %{{.*}}, i64 80000)
// CHECK-NEXT: call void @__weft_check_overwrite(ptr [[WATCH]], ptr {{.*}}, ptr {{.*}}@many, i64 80000)
// CHECK-NEXT: call void @llvm.memcpy
// CHECK-NEXT: call void @__weft_end_watch(ptr [[WATCH]])
void one_copy(const double* restrict b) { memcpy(many, b, 80000); }

// A loop that is left in two ways ends there.
// CHECK-LABEL: @left(
// CHECK: [[WATCH:%.*]] = {{.*}}call ptr @__weft_watch_prefetch(
// CHECK-COUNT-2: call void @__weft_end_watch(ptr [[WATCH]])
void g(double sum);
int left(const double* a, long n, long most) {
  double sum = 0;
  for (long i = 0; i < n; i++) {
    sum += a[2 * i];
    if (i == most) {
      g(sum);
      return 1;
    }
  }
  g(sum + 1);
  return 0;
}

// What is guessed before the loop is known on one node, too.
// CHECK-LABEL: @through_a_pointer(
// CHECK: [[DATA:%.*]] = {{.*}}call i64 @__weft_check_hint(
// CHECK: call ptr @__weft_watch_prefetch(
// CHECK-NOT: __weft_hint_load
struct vector {
  long count;
  double* data;
};
void through_a_pointer(const struct vector* v) {
  for (long i = 0; i < v->count; i += 2) g(v->data[i]);
}
