// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The thread's shift is added to each address of a thread-local variable of the program, and loaded
// once in a function, before its loops. Variables that the C++ library declares are its own.
//
// RUN: weftc++ -O2 -S -emit-llvm %s -o - | FileCheck %s
// RUN: weftc++ -O0 -S -emit-llvm %s -o - | FileCheck %s --check-prefix=EACH
// RUN: weftc++ -O2 -S -emit-llvm %s -DNONE -o - | FileCheck %s --check-prefix=NONE

// Bitcode that comes twice is left alone.
// RUN: weftc++ -O2 -c -emit-llvm %s -o %t.bc && weftc++ -O2 -S -emit-llvm %t.bc -o - | FileCheck %s

// CHECK-DAG: @__weft_thread_local_shift = external thread_local(initialexec)
// CHECK-DAG: @__weft_adds_thread_local_shift = internal constant i8 1
// NONE-NOT: @__weft_thread_local_shift

// EACH-COUNT-4: getelementptr i8, ptr {{.*}}, i64 %

int something;
#ifndef NONE
thread_local int counter;
extern thread_local int elsewhere __asm__("elsewhere");
extern "C" void work(int);

// CHECK-LABEL: @in_loop(
// CHECK: %[[OWN:.*]] = {{.*}}@llvm.threadlocal.address.p0(ptr {{.*}}@__weft_thread_local_shift)
// CHECK: %[[SHIFT:.*]] = load i64, ptr %[[OWN]]
// CHECK-NOT: @__weft_thread_local_shift
// CHECK: @llvm.threadlocal.address.p0(ptr {{.*}}@counter)
// CHECK: getelementptr i8, ptr {{.*}}, i64 %[[SHIFT]]
// CHECK: phi
// CHECK-NOT: @__weft_thread_local_shift
// CHECK: ret
extern "C" void in_loop(int n) {
  for (int i = 0; i < n; ++i) {
    counter += i;
    work(counter);
  }
}

// CHECK-LABEL: @two_of_them(
// CHECK: load i64, ptr
// CHECK-COUNT-2: getelementptr i8, ptr {{.*}}, i64
// CHECK-NOT: @__weft_thread_local_shift
// CHECK: ret
extern "C" int two_of_them() { return counter + elsewhere; }

namespace std {
extern __thread void* __once_callable;
}
// CHECK-LABEL: @of_library(
// CHECK-NOT: getelementptr
// CHECK: ret
extern "C" void* of_library() { return std::__once_callable; }

// The constructor and the list of destructors are handed a name, not an address.
struct Object {
  Object();
  ~Object();
};
// CHECK-LABEL: define {{.*}}@__cxx_global_var_init(
// CHECK: %[[OBJECT:.*]] = getelementptr i8, ptr {{.*}}, i64
// CHECK: call {{.*}}@_ZN6ObjectC1Ev(ptr {{.*}}%[[OBJECT]])
// CHECK: call {{.*}}@__cxa_thread_atexit(ptr {{.*}}, ptr nonnull %
thread_local Object object;
#endif
