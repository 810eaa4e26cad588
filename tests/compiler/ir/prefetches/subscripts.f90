! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Fortran's subscripts.
!
! RUN: weftfc -O2 -S -emit-llvm -g1 -Rpass=weft %s -o %t.ll 2> %t.remarks
! RUN: FileCheck %s < %t.ll
! RUN: FileCheck -check-prefix=REMARKS %s < %t.remarks

! CHECK-LABEL: define {{.*}}@element_(
! CHECK: call void @__weft_prefetch_indirect(
! REMARKS: subscripts.f90:[[#@LINE+9]]:{{.*}}fetched by the values that lead there
subroutine element(x, b, n, total)
  implicit none
  integer, intent(in) :: n, b(n)
  real(8), intent(in) :: x(*)
  real(8), intent(out) :: total
  integer :: i
  total = 0
  do i = 1, n
    total = total + x(b(i))
  end do
end subroutine

! CHECK-LABEL: define {{.*}}@rows_(
! CHECK-COUNT-3: call void @__weft_prefetch_indirect(
subroutine rows(n, first, column, a, x, y)
  implicit none
  integer, intent(in) :: n, first(n + 1), column(*)
  real(8), intent(in) :: a(*), x(*)
  real(8), intent(out) :: y(n)
  integer :: i, k
  real(8) :: total
  do i = 1, n
    total = 0
    do k = first(i), first(i + 1) - 1
      total = total + a(k) * x(column(k))
    end do
    y(i) = total
  end do
end subroutine

! With descriptors.
! CHECK-LABEL: define {{.*}}@shaped_(
! CHECK: call void @__weft_prefetch_indirect(
subroutine shaped(x, b, total)
  implicit none
  integer(8), intent(in) :: b(:)
  real(8), intent(in) :: x(:)
  real(8), intent(out) :: total
  integer :: i
  total = 0
  do i = 1, size(b)
    total = total + x(b(i))
  end do
end subroutine
