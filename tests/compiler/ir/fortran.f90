! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! flang's atomics take the same road.
!
! RUN: weftfc -w -fopenmp-version=52 -O0 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -w -fopenmp-version=52 -O2 -S -emit-llvm %s -o - | FileCheck %s
! CHECK-DAG: @__weft_threads_elsewhere = external global i32
! CHECK-DAG: section ".note.weft"

! CHECK-LABEL: @add_(
! CHECK: call void @__weft_atomic_rmw(ptr %{{.*}}, ptr %{{.*}}, ptr {{null|%.*}}, i32 4, i32 4, i32 0, i32 0)
! CHECK: atomicrmw add
subroutine add(i, j)
  integer :: i, j
  !$omp atomic
  i = i + j
end subroutine

! CHECK-LABEL: @scale_(
! CHECK: call void @__weft_atomic_load(ptr %{{.*}}, ptr %{{.*}}, i32 8, i32 0)
! CHECK: load atomic i64
! CHECK: call i32 @__weft_atomic_compare_exchange(ptr %{{.*}}, ptr %{{.*}}, ptr %{{.*}}, i32 8, i32 0, i32 0)
! CHECK: cmpxchg
subroutine scale(x, y)
  real(8) :: x, y
  !$omp atomic
  x = x * y
end subroutine

! CHECK-LABEL: @complex_read_(
! CHECK: call void @__weft_atomic_load(ptr %{{.*}}, ptr %{{.*}}, i32 16, i32 0)
! CHECK: call void @__atomic_load(i64 {{.*}}16
subroutine complex_read(x, y)
  complex(8) :: x, y
  !$omp atomic read
  x = y
end subroutine
