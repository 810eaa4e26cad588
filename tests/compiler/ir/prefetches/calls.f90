! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Subroutines that a loop calls, with arguments by reference, as in NPB's LU: loop variables, whose
! values were stored just before; arrays, and variables of a module.
!
! RUN: weftfc -O2 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -O3 -S -emit-llvm %s -o - | FileCheck %s
module sizes
  integer :: first, last, depth
  real(8) :: u(5, 33, 33, 33)
end module

subroutine jacobian(j, k, d)
  use sizes
  integer :: j, k, i
  real(8) :: d(5, 33)
  do i = first, last
    d(2, i) = u(2, i, j, k) + u(3, i, j, k - 1)
  end do
end subroutine

subroutine solve(width, v, d, from, to, j, k)
  integer :: width, from, to, j, k, i, m
  real(8) :: v(5, width/2*2+1, width/2*2+1, *), d(5, *)
  do i = from, to
    do m = 1, 5
      v(m, i, j, k) = v(m, i, j, k) - d(m, i) * v(1, i - 1, j, k) - v(1, i, j - 1, k)
    end do
  end do
end subroutine

! The share of each thread is known before the loop over j, and not before that over k. Hints are of
! the module's variables alone.
! CHECK-LABEL: define internal void @sweeps_
! CHECK: call void @__kmpc_for_static_init
! CHECK: load i32, ptr @__weft_spans_nodes
! CHECK: call i64 @__weft_hint_load(ptr @_QMsizes{{.*}}, i32 4)
! CHECK: call i64 @__weft_hint_load(ptr @_QMsizes{{.*}}, i32 4)
! CHECK-NOT: __weft_hint_load
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 40, ptr {{.*}}, i32 2, i32 1)
! CHECK-NOT: __weft_hint_load
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
! CHECK: call void @jacobian_
! CHECK: call void @solve_
subroutine sweeps(v)
  use sizes
  real(8) :: v(5, 33, 33, 33), d(5, 33)
  integer :: j, k
  !$omp parallel private(j, k, d)
  do k = 2, depth - 1
    !$omp do schedule(static)
    do j = 2, 32
      !dir$ noinline
      call jacobian(j, k, d)
      !dir$ noinline
      call solve(33, v, d, first, last, j, k)
    end do
    !$omp end do nowait
  end do
  !$omp end parallel
end subroutine
