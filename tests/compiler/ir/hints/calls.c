// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// #pragma weft becomes a call of weft/hints.h in its place; weftcc -E leaves it, with its macros expanded,
// and plain clang ignores it.
//
// RUN: weftcc -Wall -Wextra -pedantic -Werror -O1 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -g -O0 -x c++ -Wall -Wextra -pedantic -Wold-style-cast -Wconversion -Werror -S -emit-llvm %s -o - | FileCheck -check-prefix=EACH %s
// RUN: weftcc -E %s | FileCheck -check-prefix=PREPROCESSED %s
// RUN: weftcc -E %s | weftcc -x cpp-output -O1 -S -emit-llvm - -o - | FileCheck %s
// RUN: clang-22 -Wall -Wno-unknown-pragmas -pedantic -Werror -fopenmp -O1 -S -emit-llvm %s -o - | FileCheck -check-prefix=PLAIN %s
// PREPROCESSED: {{^}}#pragma weft broadcast(a, b[lo:3]){{$}}
// PREPROCESSED: {{^}}#pragma weft broadcast(m[:n], m[15][0:20]){{$}}
// PREPROCESSED: {{^}}#pragma weft scatter(a){{$}}
// PREPROCESSED: if (n > 3) {{[{]$}}
// PLAIN-NOT: @weft_
// EACH-COUNT-18: call {{.*}} @weft_

#include <omp.h>
#define PART 20
typedef struct { int header; double values[7]; } Record;
extern double a[1000], m[100][200];
extern Record record;

// CHECK: @[[NAME:[.a-z0-9]+]] = {{.*}} c"updates\00"
// CHECK: @[[NONE:[.a-z0-9]+]] = {{.*}} [1 x i8] zeroinitializer
// CHECK-LABEL: @whole(
// CHECK: call i32 @weft_broadcast(ptr {{.*}}@a, i64 noundef 8000)
// CHECK: call i32 @weft_gather(ptr {{.*}}@record, {{.*}}, i64 noundef 56)
// CHECK: call i32 @weft_alltoall(ptr {{.*}}@m{{.*}}, i64 noundef 160000)
// CHECK: call i32 @weft_read_mostly(ptr {{.*}} i64 noundef 8)
#ifdef __cplusplus
extern "C"
#endif
void whole(double* p, int i);
void whole(double* p, int i) {
#pragma weft broadcast(a)
#pragma weft gather(record.values)
#pragma weft alltoall(m)
#pragma weft read_mostly(p[i])
}

// Several items, sections, and macros.
// CHECK-LABEL: @sections(
// CHECK: call i32 @weft_broadcast(ptr {{.*}}@a, i64 noundef 8000)
// CHECK: call i32 @weft_broadcast(ptr noundef %{{.*}}, i64 noundef 24)
// CHECK: [[ROWS:%.*]] = mul nsw i64 %{{.*}}, 1600
// CHECK: call i32 @weft_broadcast(ptr {{.*}}@m{{.*}}, i64 noundef [[ROWS]])
// CHECK: call i32 @weft_broadcast(ptr {{.*}}@m, i64 24000), i64 noundef 160)
#ifdef __cplusplus
extern "C"
#endif
void sections(double* b, int lo, int n);
void sections(double* b, int lo, int n) {
#pragma weft broadcast(a, b[lo:3])
#pragma weft broadcast(m[:n], m[15][0:PART])
}

// A unit is an element of the array, or so many of them.
// CHECK-LABEL: @distributions(
// CHECK: call i32 @weft_scatter(ptr {{.*}}@a, i64 noundef 8000, i64 noundef 8, i32 noundef -1)
// CHECK: call i32 @weft_home(ptr {{.*}}@m, i64 noundef 160000, i64 noundef 1600, i32 noundef -1)
// CHECK: call i32 @weft_home(ptr {{.*}}@m, i64 noundef 160000, i64 noundef 6400, i32 noundef -2)
// CHECK: call i32 @weft_scatter(ptr noundef %0, i64 noundef 80, i64 noundef 8, i32 noundef -2)
// CHECK: [[NODE:%.*]] = select i1 %{{.*}}, i32 1, i32 2
// CHECK: call i32 @weft_home(ptr noundef %0, i64 noundef 80, i64 noundef 1, i32 noundef [[NODE]])
#ifdef __cplusplus
extern "C"
#endif
void distributions(double* p, int n);
void distributions(double* p, int n) {
#pragma weft scatter(a)
#pragma weft home(m : block)
#pragma weft home(m : cyclic(4))
#pragma weft scatter(p[0:10] : cyclic)
  if (n > 3) {
#pragma weft home(p[0:10] : node(n > 7 ? 1 : 2))
  }
}

// CHECK-LABEL: @locks(
// CHECK: call i32 @weft_private_after_init(ptr {{.*}}@m, i64 noundef 160000)
// CHECK: call i32 @weft_migrate_with(ptr {{.*}}@record, i64 noundef 64, ptr noundef %0)
#ifdef __cplusplus
extern "C"
#endif
void locks(omp_lock_t* lock);
void locks(omp_lock_t* lock) {
#pragma weft private_after_init(m)
#pragma weft migrate(record) with(*lock)
}

// The name of a critical region goes as text; without a name, and beside a lock of that name.
// CHECK-LABEL: @regions(
// CHECK: call i32 @weft_migrate_with_critical(ptr {{.*}}@record, i64 noundef 64, ptr noundef {{.*}}@[[NAME]])
// CHECK: call i32 @weft_migrate_with_critical(ptr {{.*}}@record, i64 noundef 64, ptr noundef {{.*}}@[[NONE]])
// CHECK: call i32 @weft_migrate_with(ptr {{.*}}@record, i64 noundef 64, ptr noundef {{.*}}@critical
#ifdef __cplusplus
extern "C"
#endif
void regions(void);
extern omp_lock_t critical;
void regions(void) {
#pragma weft migrate(record) with(critical(updates))
#pragma weft migrate(record) with(critical)
#pragma weft migrate(record) with((critical))
}
