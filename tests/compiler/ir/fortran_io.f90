! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! RUN: weftfc -w -O0 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -w -O2 -S -emit-llvm %s -o - | FileCheck %s

! CHECK-LABEL: @external_(
! CHECK: call void @__weft_fortran_begin(i32 1)
! CHECK-NEXT: [[COOKIE:%.*]] = {{.*}}call ptr @_FortranAioBeginExternalListOutput(
! CHECK: call i1 @_FortranAioOutputInteger32(ptr {{.*}}[[COOKIE]]
! CHECK: call i32 @_FortranAioEndIoStatement(ptr {{.*}}[[COOKIE]]
! CHECK-NEXT: call void @__weft_fortran_end()
! CHECK: ret void
subroutine external(n)
  integer :: n
  print *, n
end subroutine

! CHECK-LABEL: @internal_(
! CHECK: call void @__weft_fortran_begin(i32 0)
! CHECK-NEXT: call ptr @_FortranAioBeginInternal
! CHECK: call void @__weft_fortran_end()
! CHECK: ret void
subroutine internal(text, n)
  character(10) :: text
  integer :: n
  write (text, *) n
end subroutine

! CHECK-LABEL: @random_(
! CHECK: call void @__weft_fortran_begin(i32 1)
! CHECK-NEXT: call void @_FortranARandomNumber(
! CHECK-NEXT: call void @__weft_fortran_end()
subroutine random(x)
  real :: x
  call random_number(x)
end subroutine
