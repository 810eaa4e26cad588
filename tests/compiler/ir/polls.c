// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a loop ends that polls for a flag with flushes, the pass adds a fence that acquires what was
// not flushed (order 7), or marks the flush that is there (flag 8); behind a store to the flag one
// that releases (order 3).
//
// RUN: weftcc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O1 -g -fopenmp -S -emit-llvm %s -o - | FileCheck %s

// CHECK-DAG: @[[NOTE:weft.note[.0-9]*]] = private constant { {{.*}}, i32, i32 } { {{.*}}, i32 8, i32 0 }

struct Mail {
  int letter, ready;
};
int flag, data, flags[8], *pointer;
void use(int);
int is_ready(void);

// CHECK-LABEL: define {{.*}} @looks_first(
void looks_first(int j) {
  // CHECK: call void @__kmpc_flush(
  while (flags[j - 1] == 0) {
#pragma omp flush
  }
  // CHECK: call void @__weft_fence(i32 7)
  // CHECK: call void @use(
  use(data);
}

// CHECK-LABEL: define {{.*}} @flushes_first(
void flushes_first(struct Mail* mail) {
  // CHECK: call void @__weft_fence(i32 7)
  do {
#pragma omp flush
  } while (!mail->ready && !flag);
  use(data);
}

// CHECK-LABEL: define {{.*}} @breaks(
void breaks(void) {
  // CHECK: call void @__weft_fence(i32 7)
  for (;;) {
    int seen;
#pragma omp flush
#pragma omp atomic read relaxed
    seen = *pointer;
    if (seen) break;
  }
  use(data);
}

// CHECK-LABEL: define {{.*}} @asks(
void asks(void) {
  // CHECK: call void @__weft_fence(i32 7)
  while (!is_ready()) {
#pragma omp flush
  }
  use(data);
}

// CHECK-LABEL: define {{.*}} @finds(
void finds(void) {
  int is_set = 0;
  // CHECK: call void @__weft_fence(i32 7)
  while (!is_set) {
#pragma omp flush
    if (flag) is_set = 1;
  }
  use(data);
}

// CHECK-LABEL: define {{.*}} @flushes_behind(
void flushes_behind(void) {
  // CHECK: call void @__kmpc_flush(
  while (flag == 0) {
#pragma omp flush
  }
  // CHECK-NOT: @__weft_fence
  // CHECK: call void @__kmpc_flush(ptr {{.*}}@[[NOTE]])
#pragma omp flush
  use(data);
}

// CHECK-LABEL: define {{.*}} @counts(
void counts(int n) {
  // CHECK-NOT: @__weft_fence
  // CHECK: call void @__kmpc_flush(
  // CHECK-NOT: @__weft_fence
  for (int i = 0; i < n; i++) {
#pragma omp flush
    data = i;
  }
  use(data);
}

// CHECK-LABEL: define {{.*}} @acquires(
void acquires(int turn) {
  int seen;
  // CHECK-NOT: @__weft_fence
  // CHECK: call void @__kmpc_flush(
  do {
#pragma omp atomic read acquire
    seen = flag;
  } while (seen != turn);
  // CHECK-NOT: @__weft_fence
  // CHECK: call void @use(
  use(data);
}

// CHECK-LABEL: define {{.*}} @acquires_one_of_two(
void acquires_one_of_two(int turn, int* plain) {
  int seen;
  do {
#pragma omp atomic read acquire
    seen = flag;
    // CHECK: call void @__weft_fence(i32 7)
  } while (seen != turn && !*plain);
  use(data);
}

// CHECK-LABEL: define {{.*}} @stores(
void stores(struct Mail* mail, int j) {
  // CHECK: store i32 3, {{.*}}@data
  data = 3;
  // CHECK-NOT: @__weft_fence
  // CHECK: store i32 4
  mail->letter = 4;
  // CHECK-NOT: @__weft_fence
  // CHECK: store i32 5
  mail->ready = 5;
  // CHECK: call void @__weft_fence(i32 3)
  // CHECK: store i32 6
  flags[j] = 6;
  // CHECK: call void @__weft_fence(i32 3)
  // CHECK: store i32 7
  *pointer = 7;
  // CHECK: call void @__weft_fence(i32 3)
}

// CHECK-LABEL: define {{.*}} @flushes_itself(
void flushes_itself(void) {
  // CHECK: store i32 8
  flag = 8;
  // CHECK-NOT: @__weft_fence
  // CHECK: call void @__kmpc_flush(
#pragma omp flush
}
