! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran's loops say which memory they will use.
!
! RUN: weftfc -O2 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -O3 -S -emit-llvm %s -o - | FileCheck %s
! RUN: weftfc -O0 -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
! RUN: weftfc -O2 -fno-weft-prefetches -S -emit-llvm %s -o - | FileCheck -check-prefix=NOTHING %s
! NOTHING-NOT: weft_prefetch
! NOTHING-NOT: weft_hint

! CHECK-LABEL: @nest_(
! CHECK: load i32, ptr @__weft_spans_nodes
! CHECK-NEXT: icmp {{eq|ne}} i32
! CHECK-NEXT: br i1
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
! CHECK-NOT: call {{.*}}@__weft_prefetch
! CHECK-LABEL: @stencil_(
subroutine nest(a, w, n, m, sum)
  integer :: w, n, m, i, j
  real(8) :: a(w, *), sum
  do j = 1, m
    do i = 1, n
      sum = sum + j * a(i, j)
    end do
  end do
end subroutine

! One call for four neighbours.
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
! CHECK-NOT: call {{.*}}@__weft_prefetch
! CHECK-LABEL: @downwards_(
subroutine stencil(a, w, n, m, sum)
  integer :: w, n, m, i, j
  real(8) :: a(w, *), sum
  do j = 2, m - 1
    do i = 2, n - 1
      sum = sum + a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)
    end do
  end do
end subroutine

! CHECK: store i64 -8, ptr
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 1, i32 0)
subroutine downwards(a, n, sum)
  integer :: n, i
  real(8) :: a(n), sum
  do i = n, 1, -1
    sum = 0.5 * sum + a(i)
  end do
end subroutine

! A padded array in blocks, with a call for each block, which may change all that it is given and the
! size of the blocks.
! CHECK-LABEL: @ffts_(
! CHECK: load i32, ptr @__weft_spans_nodes
! CHECK-NEXT: icmp {{eq|ne}} i32
! CHECK-NEXT: br i1
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 16, ptr {{.*}}, i32 4, i32 0)
! CHECK: call void @ffts_of_block_
subroutine ffts(d1, d2, d3, x, xout, y)
  integer :: block, padded
  common /sizes/ block, padded
  integer :: d1, d2, d3, i, j, jj, k
  complex(8) :: x(d1 + 1, d2, d3), xout(d1 + 1, d2, d3), y(padded, d1, 2)
  do k = 1, d3
    do jj = 0, d2 - block, block
      do j = 1, block
        do i = 1, d1
          y(j, i, 1) = x(i, j + jj, k)
        end do
      end do
      call ffts_of_block(d1, y, y(1, 1, 2))
      do j = 1, block
        do i = 1, d1
          xout(i, j + jj, k) = y(j, i, 1)
        end do
      end do
    end do
  end do
end subroutine

! Where the elements of the array are, its descriptor says.
! CHECK-LABEL: @described_(
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 2, i32 0)
subroutine described(a, sum)
  real(8) :: a(:, :), sum
  integer :: i, j
  do j = 1, size(a, 2)
    do i = 1, size(a, 1)
      sum = sum + j * a(i, j)
    end do
  end do
end subroutine

! Each thread's share of two loops that are one.
! CHECK-LABEL: define internal void @collapsed_
! CHECK: call void @__kmpc_for_static_init
! CHECK-NOT: udiv i
! CHECK: load i32, ptr @__weft_spans_nodes
! CHECK: call preserve_mostcc void @__weft_prefetch(ptr {{.*}}, i64 8, ptr {{.*}}, i32 3, i32 0)
subroutine collapsed(a, w, n, m, l)
  integer :: w, n, m, l, i, j, k
  real(8) :: a(w, m, l)
  !$omp parallel do collapse(2)
  do k = 1, l
    do j = 1, m
      do i = 1, n
        a(i, j, k) = a(i, j, k) + k
      end do
    end do
  end do
end subroutine
