; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Operations that front ends do not make (yet), code that came through before, and code that runs too
; early.
;
; RUN: opt -load-pass-plugin=%pass -passes=weft-atomics -S %s | FileCheck %s
; RUN: opt -load-pass-plugin=%pass -passes=weft-atomics,weft-atomics -S %s | FileCheck %s
target triple = "x86_64-pc-linux-gnu"

declare void @__atomic_load(i64, ptr, ptr, i32)
declare i8 @__atomic_fetch_nand_1(ptr, i8, i32)
declare i1 @__atomic_compare_exchange_16(ptr, ptr, i128, i32, i32)
declare i32 @__atomic_load_8(ptr, i32)
declare i32 @personality(...)

; An operation without a number: a loop of compare-exchange.
; CHECK-LABEL: @maximum(
; CHECK: call void @__weft_atomic_load(ptr %p, ptr [[OLD:%.*]], i32 8, i32 0)
; CHECK: weft.again:
; CHECK: [[BEFORE:%.*]] = load double, ptr [[OLD]]
; CHECK: call double @llvm.maximum.f64(double [[BEFORE]], double %v)
; CHECK: call i32 @__weft_atomic_compare_exchange(ptr %p, ptr [[OLD]], ptr %{{.*}}, i32 8, i32 5, i32 0)
; CHECK: atomicrmw fmaximum
; CHECK: phi double
define double @maximum(ptr %p, double %v) {
  %old = atomicrmw fmaximum ptr %p, double %v seq_cst
  ret double %old
}

; CHECK-LABEL: @wrap(
; CHECK: call void @__weft_atomic_rmw(ptr %p, ptr %{{.*}}, ptr %{{.*}}, i32 4, i32 14, i32 0, i32 2)
define i32 @wrap(ptr %p, i32 %v) {
  %old = atomicrmw uinc_wrap ptr %p, i32 %v acquire
  ret i32 %old
}

; CHECK-LABEL: @bfloat(
; CHECK: call void @__weft_atomic_rmw(ptr %p, ptr %{{.*}}, ptr null, i32 2, i32 19, i32 2, i32 0)
define void @bfloat(ptr %p, bfloat %v) {
  %old = atomicrmw fsub ptr %p, bfloat %v monotonic
  ret void
}

; CHECK-LABEL: @sized(
; CHECK: call void @__weft_atomic_rmw(ptr %p, ptr %{{.*}}, ptr %{{.*}}, i32 1, i32 7, i32 0, i32 %order)
; CHECK: call i8 @__atomic_fetch_nand_1(
; CHECK: call i32 @__weft_atomic_compare_exchange(ptr %p, ptr %e, ptr %{{.*}}, i32 16, i32 5, i32 2)
; CHECK: call i1 @__atomic_compare_exchange_16(
define i1 @sized(ptr %p, ptr %e, i8 %v, i128 %w, i32 %order) {
  %old = call i8 @__atomic_fetch_nand_1(ptr %p, i8 %v, i32 %order)
  %done = call i1 @__atomic_compare_exchange_16(ptr %p, ptr %e, i128 %w, i32 5, i32 2)
  ret i1 %done
}

; A function of the same name with other arguments is somebody else's.
; CHECK-LABEL: @namesake(
; CHECK-NOT: __weft
define i32 @namesake(ptr %p) {
  %value = call i32 @__atomic_load_8(ptr %p, i32 0)
  ret i32 %value
}

; CHECK-LABEL: @invoked(
; CHECK: call void @__weft_atomic_load(ptr %p, ptr %q, i32 24, i32 5)
; CHECK: call void @__atomic_load(i64 24, ptr %p, ptr %q, i32 5)
; CHECK-NOT: invoke
define void @invoked(ptr %p, ptr %q) personality ptr @personality {
  invoke void @__atomic_load(i64 24, ptr %p, ptr %q, i32 5) to label %after unwind label %pad
after:
  ret void
pad:
  %caught = landingpad { ptr, i32 } cleanup
  resume { ptr, i32 } %caught
}

; Twice through the pass guards once.
; CHECK-LABEL: @once(
; CHECK: call void @__weft_atomic_store(
; CHECK-NOT: call void @__weft_atomic_store
define void @once(ptr %p, ptr %v) {
  store atomic ptr %v, ptr %p seq_cst, align 8
  ret void
}

; Resolvers run before the libraries are in place.
@ifunc = ifunc void (), ptr @resolver
@seen = global i32 0
; CHECK-LABEL: @resolver(
; CHECK-NOT: __weft
; CHECK: ret ptr
; CHECK-NOT: call {{.*}} @__weft
define ptr @resolver() {
  %old = atomicrmw add ptr @seen, i32 1 seq_cst
  ret ptr null
}
