! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Every form of atomic that Fortran has, on every type that flang 22 can do.
!
! RUN: flang-22 -w -fopenmp -fopenmp-version=52 -O0 %s -o %t.plain && %t.plain > %t.expected
! RUN: weftfc -w -fopenmp-version=52 -O0 %s -o %t.O0 && %t.O0 | diff %t.expected -
! RUN: weftfc -w -fopenmp-version=52 -O2 %s -o %t.O2 && %t.O2 | diff %t.expected -
! RUN: %node %t.O0 2> %t.log0 | diff %t.expected - && FileCheck %s < %t.log0
! RUN: %node %t.O2 2> %t.log2 | diff %t.expected - && FileCheck %s < %t.log2
! CHECK: loads {{[1-9][0-9]*}} stores {{[1-9][0-9]*}} updates {{[1-9][0-9]*}} exchanges {{[1-9][0-9]*}}
module cells
  integer(1) :: i1 = 1
  integer(2) :: i2 = 3
  integer(4) :: i4 = 5, j4 = 6
  integer(8) :: i8 = 7
  real(4) :: r4 = 1.5
  real(8) :: r8 = 2.5d0, s8 = 4d0
  complex(4) :: c4 = (1.0, 2.0)
  complex(8) :: c8 = (1d0, 2d0), q8 = (3d0, -1d0)
  logical :: l4 = .true., lg = .false.
end module

program fortran
  use cells
  integer :: i
  !$omp atomic
  i1 = i1 + 1_1
  !$omp atomic
  i2 = i2 * 2_2
  !$omp atomic
  i4 = i4 + j4
  !$omp atomic
  i4 = max(i4, j4)
  !$omp atomic
  i4 = iand(i4, 14)
  !$omp atomic
  i4 = ieor(i4, j4)
  !$omp atomic
  i8 = 5 - i8
  !$omp atomic
  r4 = r4 + 1
  !$omp atomic
  r8 = r8 * s8
  !$omp atomic
  r8 = s8 / r8
  !$omp atomic
  r8 = max(r8, s8)
  !$omp atomic
  c4 = c4 + 1
  !$omp atomic
  c8 = c8 * q8
  !$omp atomic
  l4 = l4 .and. lg
  !$omp atomic
  l4 = l4 .neqv. .true.
  print *, i1, i2, i4, i8, r4, r8, c4, c8, l4
  !$omp atomic read
  s8 = r8
  !$omp atomic write
  c8 = q8
  !$omp atomic capture
  j4 = i4
  i4 = i4 + 1
  !$omp end atomic
  !$omp atomic seq_cst capture
  r8 = r8 + 1
  s8 = r8
  !$omp end atomic
  print *, s8, c8, j4, i4, r8
  !$omp parallel do
  do i = 1, 300
    !$omp atomic
    i8 = i8 + i
    !$omp atomic
    r8 = r8 + 0.5d0
    !$omp atomic
    c8 = c8 + (1d0, 2d0)
  end do
  print *, i8, r8, c8
end program
