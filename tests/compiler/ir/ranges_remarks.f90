! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Remarks name the place in Fortran's sources, too.
!
! RUN: weftfc -O2 -c -Rpass=weft -Rpass-missed=weft %s -o %t.o 2>&1 | FileCheck %s
! RUN: weftfc -O2 -c %s -o %t.o 2>&1 | FileCheck -allow-empty -check-prefix=QUIET %s
! QUIET-NOT: remark
subroutine remarks(a, b, n)
  integer :: n, i
  real(8) :: a(n), b(1000, 1000)
  do i = 1, n
    ! CHECK-DAG: ranges_remarks.f90:[[#@LINE+1]]:{{.*}}overwrites a range whole: not fetched if it has 32768 bytes
    a(i) = i
  end do
  ! CHECK-DAG: ranges_remarks.f90:[[#@LINE+1]]:{{.*}}overwrites 8000000 bytes whole: not fetched
  b = n
  do i = 1, n
    ! CHECK-DAG: ranges_remarks.f90:[[#@LINE+1]]:{{.*}}fetched before it is overwritten: a load of the same memory before it is stored
    a(i) = a(i) + i
  end do
end subroutine
