! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! As polls.c, in Fortran.
!
! RUN: weftfc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s

module m
  integer :: flag, data
end module

! CHECK-LABEL: define {{.*}} @polls_(
subroutine polls()
  use m
  ! CHECK: call void @__kmpc_flush(
  do while (flag == 0)
    !$omp flush
  end do
  ! CHECK: call void @__weft_fence(i32 7)
  ! CHECK: call void @use_(
  call use(data)
end subroutine

! CHECK-LABEL: define {{.*}} @stores_(
subroutine stores()
  use m
  ! CHECK-NOT: @__weft_fence
  ! CHECK: store i32 3
  data = 3
  ! CHECK-NOT: @__weft_fence
  ! CHECK: store i32 4
  flag = 4
  ! CHECK: call void @__weft_fence(i32 3)
end subroutine
