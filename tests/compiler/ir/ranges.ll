; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Loops that front ends seldom make.
;
; RUN: opt -load-pass-plugin=%pass -passes=weft-ranges -S %s | FileCheck %s
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare double @llvm.sqrt.f64(double)
declare i32 @rand_r(ptr)
declare void @maybe() nounwind
declare double @pure(double) nounwind willreturn memory(none)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

; The condition is at the end, so one iteration is certain: n = 0 means 2^64 of them.
; CHECK-LABEL: @simple(
; CHECK: call void @weft.overwrites(ptr %a, i64 %{{.*}}, i1 true)
define void @simple(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %i, ptr %p
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; The condition is at the beginning: perhaps nothing is stored.
; CHECK-LABEL: @not_rotated(
; CHECK-NOT: @weft.overwrites
define void @not_rotated(ptr %a, i64 %n) {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %n
  br i1 %more, label %body, label %exit
body:
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %i, ptr %p
  %next = add nuw i64 %i, 1
  br label %head
exit:
  ret void
}

; 10 of 16 bytes.
; CHECK-LABEL: @padding(
; CHECK-NOT: @weft.overwrites
define void @padding(ptr %a, x86_fp80 %v, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds x86_fp80, ptr %a, i64 %i
  store x86_fp80 %v, ptr %p
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; Four elements each time, and one of them twice.
; CHECK-LABEL: @unrolled(
; CHECK: call void @weft.overwrites(
; CHECK-NOT: @weft.overwrites
define void @unrolled(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p0 = getelementptr inbounds i32, ptr %a, i64 %i
  %p1 = getelementptr inbounds i8, ptr %p0, i64 4
  %p2 = getelementptr inbounds i8, ptr %p0, i64 8
  %p3 = getelementptr inbounds i8, ptr %p0, i64 12
  store i32 3, ptr %p3
  store i32 1, ptr %p1
  store i32 0, ptr %p0
  store i32 2, ptr %p2
  store i32 4, ptr %p1
  %next = add nuw i64 %i, 4
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @unrolled_with_a_gap(
; CHECK-NOT: @weft.overwrites
define void @unrolled_with_a_gap(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p0 = getelementptr inbounds i32, ptr %a, i64 %i
  %p1 = getelementptr inbounds i8, ptr %p0, i64 4
  %p3 = getelementptr inbounds i8, ptr %p0, i64 12
  store i32 0, ptr %p0
  store i32 1, ptr %p1
  store i32 3, ptr %p3
  %next = add nuw i64 %i, 4
  %again = icmp ult i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; The same element each time.
; CHECK-LABEL: @no_step(
; CHECK-NOT: @weft.overwrites
define void @no_step(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  store i64 %i, ptr %a
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @other_address_space(
; CHECK-NOT: @weft.overwrites
define void @other_address_space(ptr addrspace(1) %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i64, ptr addrspace(1) %a, i64 %i
  store i64 %i, ptr addrspace(1) %p
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @volatile_store(
; CHECK-NOT: @weft.overwrites
define void @volatile_store(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store volatile i64 %i, ptr %p
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; CHECK-LABEL: @volatile_set(
; CHECK-NOT: @weft.overwrites
define void @volatile_set(ptr %a, i64 %n) {
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 %n, i1 true)
  ret void
}

; CHECK-LABEL: @fenced(
; CHECK-NOT: @weft.overwrites
define void @fenced(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %i, ptr %p
  fence acquire
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; Calls that touch no memory and come back.
; CHECK-LABEL: @harmless_calls(
; CHECK: call void @weft.overwrites(
define void @harmless_calls(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %x = sitofp i64 %i to double
  %y = call double @llvm.sqrt.f64(double %x)
  %z = call double @pure(double %y)
  %p = getelementptr inbounds double, ptr %a, i64 %i
  store double %z, ptr %p
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; A call that may end the program, whose exit handlers then look.
; CHECK-LABEL: @other_calls(
; CHECK-NOT: @weft.overwrites
define void @other_calls(ptr %a, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @maybe()
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %i, ptr %p
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; An index of 32 bits that may overflow: compared before the loop.
; CHECK-LABEL: @narrow_index(
; CHECK: [[HOLDS:%.*]] = freeze i1
; CHECK: call void @weft.overwrites(ptr %{{.*}}, i64 %{{.*}}, i1 %
define void @narrow_index(ptr %a, i32 %first, i32 %n) {
entry:
  br label %loop
loop:
  %i = phi i32 [ 0, %entry ], [ %next, %loop ]
  %at = add i32 %first, %i
  %wide = sext i32 %at to i64
  %p = getelementptr i64, ptr %a, i64 %wide
  store i64 7, ptr %p
  %next = add nuw i32 %i, 1
  %again = icmp ne i32 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; The inner loop is as long as the outer's turn says: only its own rows.
; CHECK-LABEL: @triangle(
; CHECK: outer:
; CHECK: call void @weft.overwrites(
; CHECK-NOT: @weft.overwrites
define void @triangle(ptr %a, i64 %n) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 1, %entry ], [ %i.next, %outer.end ]
  %row = mul i64 %i, %n
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %at = add i64 %row, %j
  %p = getelementptr inbounds i64, ptr %a, i64 %at
  store i64 %j, ptr %p
  %j.next = add nuw i64 %j, 1
  %j.again = icmp ult i64 %j.next, %i
  br i1 %j.again, label %inner, label %outer.end
outer.end:
  %i.next = add nuw i64 %i, 1
  %again = icmp ult i64 %i.next, %n
  br i1 %again, label %outer, label %exit
exit:
  ret void
}

; A row is filled and then read: each row by itself.
; CHECK-LABEL: @row_is_read(
; CHECK: outer:
; CHECK: call void @weft.overwrites(
; CHECK-NOT: @weft.overwrites
define i64 @row_is_read(ptr %a) {
entry:
  br label %outer
outer:
  %i = phi i64 [ 0, %entry ], [ %i.next, %outer.end ]
  %sum = phi i64 [ 0, %entry ], [ %sum.next, %outer.end ]
  %row = getelementptr inbounds [10000 x i64], ptr %a, i64 %i
  br label %inner
inner:
  %j = phi i64 [ 0, %outer ], [ %j.next, %inner ]
  %p = getelementptr inbounds i64, ptr %row, i64 %j
  store i64 %j, ptr %p
  %j.next = add nuw i64 %j, 1
  %j.again = icmp ult i64 %j.next, 10000
  br i1 %j.again, label %inner, label %outer.end
outer.end:
  %x = load i64, ptr %row
  %sum.next = add i64 %sum, %x
  %i.next = add nuw i64 %i, 1
  %again = icmp ult i64 %i.next, 1000
  br i1 %again, label %outer, label %exit
exit:
  ret i64 %sum.next
}

; Scopes that an inlined function opens in each iteration say nothing of two iterations.
; CHECK-LABEL: @scopes_of_an_iteration(
; CHECK-NOT: @weft.overwrites
define void @scopes_of_an_iteration(ptr %a, ptr %from, i64 %n) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  %f = getelementptr inbounds ptr, ptr %from, i64 %i
  %q = load ptr, ptr %f, !noalias !2
  %x = load i64, ptr %q, !noalias !2
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %p, !alias.scope !2
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; Those that the function has opened do.
; CHECK-LABEL: @scopes_of_the_function(
; CHECK: call void @weft.overwrites(
define void @scopes_of_the_function(ptr %a, ptr %from, i64 %n) {
entry:
  call void @llvm.experimental.noalias.scope.decl(metadata !2)
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %f = getelementptr inbounds ptr, ptr %from, i64 %i
  %q = load ptr, ptr %f, !noalias !2
  %x = load i64, ptr %q, !noalias !2
  %p = getelementptr inbounds i64, ptr %a, i64 %i
  store i64 %x, ptr %p, !alias.scope !2
  %next = add nuw i64 %i, 1
  %again = icmp ne i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

declare void @llvm.experimental.noalias.scope.decl(metadata)
!0 = distinct !{!0, !"function"}
!1 = distinct !{!1, !0, !"scope"}
!2 = !{!1}
