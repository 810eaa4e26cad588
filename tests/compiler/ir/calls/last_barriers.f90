! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! flang ends `parallel do` by the loop's barrier and the region's: the first is marked (flag 1).
!
! RUN: weftfc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
!
! CHECK: @[[NOTE:weft.note[.0-9]*]] = {{.*}} }, i32 1, i32 0 }
! CHECK: call void @__kmpc_barrier(ptr {{.*}}@[[NOTE]],

subroutine twice(n, a)
  integer :: n, i
  real(8) :: a(n)
!$omp parallel do
  do i = 1, n
    a(i) = 2 * a(i)
  end do
end subroutine
