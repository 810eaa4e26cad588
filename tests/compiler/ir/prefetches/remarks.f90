! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Remarks name the access, and the loop before which its memory is fetched.
!
! RUN: weftfc -O2 -c -Rpass=weft -Rpass-missed=weft %s -o %t.o 2>&1 | FileCheck %s
! RUN: weftfc -O2 -c %s -o %t.o 2>&1 | FileCheck -allow-empty -check-prefix=QUIET %s
! RUN: weftfc -O2 -fno-weft-prefetches -c -Rpass=weft -Rpass-missed=weft %s -o %t.o 2>&1 | FileCheck -check-prefix=OFF %s
! QUIET-NOT: remark
! OFF-NOT: fetched before the loop
! OFF-NOT: fetched when
! OFF: fetched before it is overwritten
! OFF-NOT: fetched before the loop
! OFF-NOT: fetched when
subroutine remarks(a, b, c, from, n, sum)
  integer :: n, from(n), i, j
  real(8) :: a(n, n), b(n), c(*), sum
  ! CHECK-DAG: remarks.f90:[[#@LINE+3]]:{{.*}}fetched before the loop of line [[#@LINE+1]]
  do j = 1, n
    do i = 1, n
      sum = sum + a(i, j)
    end do
  end do
  do i = 1, n
    ! CHECK-DAG: remarks.f90:[[#@LINE+1]]:{{.*}}fetched before the loop of line [[#@LINE-1]]
    b(i) = 2 * b(i)
    ! CHECK-DAG: remarks.f90:[[#@LINE+1]]:{{.*}}fetched by the values that lead there, before the loop of line [[#@LINE-3]]
    sum = sum + c(from(i))
    ! CHECK-DAG: remarks.f90:[[#@LINE+1]]:{{.*}}fetched when it is touched: it is not used each time
    if (b(i) > 0) sum = sum * c(i)
    call sub(sum)
  end do
end subroutine
