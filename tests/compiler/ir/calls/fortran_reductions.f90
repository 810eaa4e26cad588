! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! flang's reductions: arrays are variables that point to descriptors (4), and the barriers before and
! behind a reduction are marked as redundant (flag 2).
!
! RUN: weftfc -w -O2 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -w -O0 -fopenmp -S -emit-llvm %s -o - | FileCheck %s
!
! CHECK-DAG: @weft.note{{.*}} { i32 1413891415, {{.*}} }, i32 2, i32 0 }
! CHECK-DAG: @weft.note{{.*}} { i32 1413891415, {{.*}} }, i32 2, i32 0 }
! CHECK-DAG: @weft.note{{.*}} { i32 1413891415, {{.*}} }, i32 1, i32 3, i64 1, i64 8, i64 4, i64 0, i64 4, i64 0 }

subroutine sums(n, s, a, b)
  integer :: n, i
  real(8) :: s, a(10)
  real(8), allocatable :: b(:)
!$omp parallel do reduction(+:s, a, b)
  do i = 1, n
    s = s + i
    a(1) = a(1) + i
    b(2) = b(2) + i
  end do
end subroutine
