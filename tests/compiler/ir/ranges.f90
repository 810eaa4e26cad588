! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran's loops and assignments of arrays that overwrite whole ranges. Its arguments do not overlap.
!
! RUN: weftfc -O2 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -O0 -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
! RUN: weftfc -O2 -fno-weft-overwrites -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
! NOTHING-NOT: overwrite

! CHECK-LABEL: @assigns_(
! CHECK-NOT: sub i64
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine assigns(a, b, n)
  integer :: n
  real(8) :: a(n), b(n)
  a = 2 * b
end subroutine

! Five parts of a record, in three loops.
! CHECK-LABEL: @records_(
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine records(u, n1, n2)
  integer :: n1, n2, i, j, m
  real(8) :: u(5, n1, n2)
  do j = 1, n2
    do i = 1, n1
      do m = 1, 5
        u(m, i, j) = m
      end do
    end do
  end do
end subroutine

! CHECK-LABEL: @complex_numbers_(
! CHECK: call preserve_mostcc void @__weft_overwrite(ptr {{.*}}, i64 6400000)
subroutine complex_numbers(z)
  complex(8) :: z(400, 1000)
  integer :: i, j
  do j = 1, 1000
    do i = 1, 400
      z(i, j) = cmplx(i, j, 8)
    end do
  end do
end subroutine

! Whether the array's elements follow each other, its descriptor says.
! CHECK-LABEL: @described_(
! CHECK: icmp eq i64
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine described(a)
  real(8) :: a(:)
  integer :: i
  do i = 1, size(a)
    a(i) = i
  end do
end subroutine

! CHECK-LABEL: @described_records_(
! CHECK: icmp eq i64
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine described_records(u, f, n)
  real(8), allocatable :: u(:, :)
  real(8) :: f(n)
  integer :: n, i, m
  do i = 1, n
    do m = 1, 5
      u(m, i) = f(i) + m
    end do
  end do
end subroutine

! CHECK-LABEL: @concurrent_(
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine concurrent(a, n)
  integer :: n, i
  real(8) :: a(n)
  do concurrent (i = 1:n)
    a(i) = i
  end do
end subroutine

! A stencil reads its row before it stores it.
! CHECK-LABEL: @stencil_(
! CHECK-NOT: @__weft_overwrite
! CHECK-LABEL: @shares_(
subroutine stencil(a, n)
  integer :: n, i
  real(8) :: a(n)
  do i = 2, n - 1
    a(i) = a(i - 1) + a(i + 1)
  end do
end subroutine

! Each thread's share: its number may not overflow, of which the loop itself says nothing.
! CHECK-LABEL: define internal void @shares_
! CHECK: call void @__kmpc_for_static_init
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine shares(a, b, n)
  integer :: n, i
  real(8) :: a(n), b(n)
  !$omp parallel do
  do i = 1, n
    a(i) = b(i)
  end do
end subroutine

! Rows at least.
! CHECK-LABEL: define internal void @rows_
! CHECK: call void @__kmpc_for_static_init
! CHECK: call preserve_mostcc void @__weft_overwrite(
subroutine rows(a, n, m, l)
  integer :: n, m, l, i, j, k
  real(8) :: a(n, m, l)
  !$omp parallel do collapse(2)
  do k = 1, l
    do j = 1, m
      do i = 1, n
        a(i, j, k) = 0
      end do
    end do
  end do
end subroutine
