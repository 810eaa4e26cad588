// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Variables of a page or more begin at a page's beginning and end at a page's end, as far as nobody
// else has a say in it.
//
// RUN: weftcc -w -O0 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftcc -w -O2 -fPIC -shared %s -o %t.so
// RUN: llvm-readelf -sW %t.so | FileCheck --check-prefix=LINKED %s

// CHECK-DAG: @page = {{.*}}global [512 x double] zeroinitializer, align 4096
// LINKED-DAG: {{[0-9a-f]+}}000 4096 OBJECT GLOBAL DEFAULT {{.*}} page
double page[512];
// CHECK-DAG: @less = {{.*}}global [511 x double] zeroinitializer, align 16
double less[511];
// CHECK-DAG: @present = {{.*}}global <{ <{ {{.*}} }>, [1920 x i8] }>{{.*}}, align 4096
// LINKED-DAG: {{[0-9a-f]+}}000 81920 OBJECT GLOBAL DEFAULT {{.*}} present
double present[10000] = {1, 2, 3};
// CHECK-DAG: @hidden = internal {{.*}}global <{ [1000 x double], [192 x i8] }> zeroinitializer, align 4096
static double hidden[1000];
double *show(long i) { return hidden + i; }
// CHECK-DAG: @strict = {{.*}}global [1024 x double] zeroinitializer, align 8192
_Alignas(8192) double strict[1024];
// CHECK-DAG: @tentative = {{.*}}global [1024 x double] zeroinitializer, align 4096
// LINKED-DAG: {{[0-9a-f]+}}000 8192 OBJECT GLOBAL DEFAULT {{.*}} tentative
__attribute__((common)) double tentative[1024];
// Linkers warn of other lengths.
// CHECK-DAG: @odd = common {{.*}}global [1000 x double] zeroinitializer, align 4096
__attribute__((common)) double odd[1000];

// Whoever names a section may count on what is in it being side by side.
// CHECK-DAG: @listed = {{.*}}global {{.*}}section "list", align 16
__attribute__((section("list"))) double listed[1024] = {1};
// Of weak variables the linker may take another one.
// CHECK-DAG: @weak = weak {{.*}}global [1024 x double] zeroinitializer, align 16
__attribute__((weak)) double weak[1024];
// CHECK-DAG: @own = {{.*}}thread_local {{(local_unnamed_addr )?}}global [1024 x double] zeroinitializer, align 16
_Thread_local double own[1024];
// CHECK-DAG: @table = {{.*}}constant <{ {{.*}} }>{{.*}}, align 16
const double table[1024] = {1};
