; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; Loops before which something wrong was said: what the passes that find ranges would leave, with a
; mistake in each.
source_filename = "wrong_ranges.ll"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"
target triple = "x86_64-pc-linux-gnu"

declare void @weft.overwrites(ptr captures(none), i64, i1) nounwind willreturn memory(argmem: write, inaccessiblemem: readwrite)
declare void @weft.prefetches(...) nounwind willreturn memory(inaccessiblemem: readwrite)
declare void @llvm.memset.p0.i64(ptr, i8, i64, i1)

@numbers = global [100 x i64] zeroinitializer

; a[0, n) of a[0, n]
define void @too_much(ptr %a, i64 %n) !dbg !10 {
entry:
  %more = add i64 %n, 1
  %bytes = mul i64 8, %more
  call void @weft.overwrites(ptr %a, i64 %bytes, i1 true), !weft.ranges !{!0}, !dbg !11
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 %i, ptr %p, !weft.ranges !{!0}, !dbg !12
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void, !dbg !12
}

; a[i] = a[i + 1], but the last
define void @loads_before(ptr %a, i64 %n) {
entry:
  %bytes = mul i64 8, %n
  call void @weft.overwrites(ptr %a, i64 %bytes, i1 true), !weft.ranges !{!1}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %next = add i64 %i, 1
  %p = getelementptr i64, ptr %a, i64 %i
  %q = getelementptr i64, ptr %a, i64 %next
  %v = load i64, ptr %q
  store i64 %v, ptr %p, !weft.ranges !{!1}
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; What it is to be depends on `holds`, which it should not.
define void @unless_it_holds(ptr %a, i64 %n, i1 %holds) {
entry:
  %bytes = mul i64 16, %n
  call void @weft.overwrites(ptr %a, i64 %bytes, i1 %holds), !weft.ranges !{!2}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 %i, ptr %p, !weft.ranges !{!2}
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

define void @copy_too_short(ptr %a, i64 %n) {
  call void @weft.overwrites(ptr %a, i64 800, i1 true), !weft.ranges !{!3}
  call void @llvm.memset.p0.i64(ptr %a, i8 0, i64 %n, i1 false), !weft.ranges !{!3}
  ret void
}

; Half of what is loaded, and one more than is stored to.
define void @prefetches(ptr %a, i64 %n) {
entry:
  %half = sdiv i64 %n, 2
  %more = add i64 %n, 1
  call void (...) @weft.prefetches(ptr @numbers, i64 8, i32 0, i32 1, i32 0, i64 8, i64 %half, ptr %a, i64 8, i32 1, i32 1, i32 0, i64 8, i64 %more), !weft.ranges !{!4, !5}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  %q = getelementptr i64, ptr @numbers, i64 %i
  %v = load i64, ptr %q, !weft.ranges !{!4}
  store i64 %v, ptr %p, !weft.ranges !{!5}
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

; Half of it by the one, and half by the other.
define void @in_two_parts(ptr %a, i64 %n) {
entry:
  %half = sdiv i64 %n, 2
  %middle = getelementptr i64, ptr %a, i64 %half
  call void (...) @weft.prefetches(ptr %a, i64 8, i32 1, i32 1, i32 0, i64 8, i64 %half, ptr %middle, i64 8, i32 0, i32 1, i32 0, i64 8, i64 %half), !weft.ranges !{!6, !7}
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %next, %loop ]
  %p = getelementptr i64, ptr %a, i64 %i
  store i64 %i, ptr %p, !weft.ranges !{!6, !7}
  %next = add i64 %i, 1
  %again = icmp slt i64 %next, %n
  br i1 %again, label %loop, label %exit
exit:
  ret void
}

!llvm.dbg.cu = !{!13}
!llvm.module.flags = !{!14}
!0 = distinct !{}
!1 = distinct !{}
!2 = distinct !{}
!3 = distinct !{}
!4 = distinct !{}
!5 = distinct !{}
!6 = distinct !{}
!7 = distinct !{}
!10 = distinct !DISubprogram(name: "too_much", scope: !15, file: !15, line: 20, unit: !13, type: !16)
!11 = !DILocation(line: 22, column: 3, scope: !10)
!12 = !DILocation(line: 23, column: 5, scope: !10)
!13 = distinct !DICompileUnit(language: DW_LANG_C99, file: !15, emissionKind: LineTablesOnly)
!14 = !{i32 2, !"Debug Info Version", i32 3}
!15 = !DIFile(filename: "too_much.c", directory: "/")
!16 = !DISubroutineType(types: !{})
