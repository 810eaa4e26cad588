! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran's variables too: of modules, in common blocks, saved.
!
! RUN: weftfc -w -O0 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -w -O2 -S -emit-llvm %s -o - | FileCheck %s

! CHECK-DAG: @_QMfieldsEdensity = {{.*}}align 4096
module fields
  real(8) :: density(1000, 20)
end module

! CHECK-DAG: @block_ = common {{.*}}align 4096
! CHECK-DAG: @_QFstepEheld = internal {{.*}}align 4096
subroutine step(i, x)
  use fields
  integer :: i
  real(8) :: x, shared(2000), held(3000)
  common /block/ shared
  save held
  held(i) = held(i) + x
  shared(i) = held(i)
  density(i, 1) = shared(i)
end subroutine
