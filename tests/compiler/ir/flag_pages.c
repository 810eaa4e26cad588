// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables that are loaded atomically, or are volatile, share pages with nothing else, as far as
// nobody else has a say in where they are.
//
// RUN: weftcc -w -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fPIC -shared %s -o %t.so
// RUN: llvm-readelf -sW %t.so | FileCheck --check-prefix=LINKED %s

// CHECK-DAG: @flags = {{.*}}global [20 x i32] zeroinitializer, section ".bss.weft_flags", align 16
// LINKED-DAG: {{[0-9a-f]+}}000 80 OBJECT GLOBAL DEFAULT {{.*}} flags
int flags[20];
// CHECK-DAG: @weft.flags.end = internal global [4096 x i8] zeroinitializer, section ".bss.weft_flags", align 4096
// LINKED-DAG: {{[0-9a-f]+}}000 4096 OBJECT LOCAL DEFAULT {{.*}} weft.flags.end
// CHECK-DAG: @polled = {{.*}}global i32 0, section ".bss.weft_flags", align 4
volatile int polled;
// CHECK-DAG: @hidden = internal {{.*}}section ".bss.weft_flags"
static _Atomic long hidden;

// Data, counts that are only added to, and what is not zero at first.
// CHECK-DAG: @data = {{.*}}global i32 0, align 4
int data;
// CHECK-DAG: @count = {{.*}}global i32 0, align 4
int count;
// CHECK-DAG: @begun = {{.*}}global i32 1, align 4
_Atomic int begun = 1;

// What the linker may take from elsewhere, or who named a section has placed.
// CHECK-DAG: @weak = weak {{.*}}global i32 0, align 4
__attribute__((weak)) _Atomic int weak;
// CHECK-DAG: @odd = common {{.*}}global i32 0, align 4
__attribute__((common)) _Atomic int odd;
// CHECK-DAG: @listed = {{.*}}global i32 0, section "list", align 4
__attribute__((section("list"))) _Atomic int listed;
// CHECK-DAG: @own = {{.*}}thread_local {{(local_unnamed_addr )?}}global i32 0, align 4
_Thread_local _Atomic int own;

long look(int i) {
  int flag;
#pragma omp atomic read
  flag = flags[i];
#pragma omp atomic
  count += 1;
  hidden += flag;
  return flag + polled + hidden + data + begun + weak + odd + listed + own;
}
