! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Forms of loops. Compiled twice: as they are, and to say what they use, with -DSAYS.
#ifdef SAYS
#define USE(x) said(x)
#define upwards says_upwards
#define downwards says_downwards
#define columns says_columns
#define padded says_padded
#define blocks says_blocks
#define described says_described
#define stencil says_stencil
#define collapsed says_collapsed
#define called says_called
#define planes says_planes
#else
#define USE(x) x
#endif

real(8) function upwards(a, n)
  implicit none
  integer :: n, i
  real(8) :: a(*), said
  upwards = 0
  do i = 2, n, 2
    upwards = upwards + USE(a(i))
  end do
end function

real(8) function downwards(a, n)
  implicit none
  integer :: n, i
  real(8) :: a(*), said
  downwards = 0
  do i = n, 3, -1
    downwards = 0.5 * downwards + USE(a(i))
  end do
end function

real(8) function columns(a, w, n, m)
  implicit none
  integer :: w, n, m, i, j
  real(8) :: a(w, *), said
  columns = 0
  do i = 1, n
    do j = 2, m
      columns = columns + i * USE(a(i, j))
    end do
  end do
end function

real(8) function padded(a, n, m, l)
  implicit none
  integer :: n, m, l, i, j, k
  real(8) :: a(n + 1, m, *), said
  padded = 0
  do k = 1, l
    do j = 1, m
      do i = 1, n
        padded = padded + k * USE(a(i, j, k))
      end do
    end do
  end do
end function

! Rows in blocks, and a call for each, which may change all that it has been given.
real(8) function blocks(a, n, m, l, block)
  implicit none
  integer :: n, m, l, block, i, j, jj, k
  real(8) :: a(n + 1, m, *), said
  real(8) :: scratch(20, 300)
  blocks = 0
  do k = 1, l
    do jj = 0, m - block, block
      do j = 1, block
        do i = 1, n
          scratch(j, i) = USE(a(i, j + jj, k))
        end do
      end do
      call changes(scratch, n, block)
      blocks = blocks + scratch(3, 4)
    end do
  end do
end function

real(8) function described(a, n)
  implicit none
  interface
    real(8) function said(x)
      real(8) :: x
    end function
  end interface
  integer :: n, i, j
  real(8) :: a(:, :)
  described = 0
  do j = 1, size(a, 2)
    do i = 1, n
      described = described + j * USE(a(i, j))
    end do
  end do
end function

real(8) function stencil(a, w, n, m)
  implicit none
  integer :: w, n, m, i, j
  real(8) :: a(w, *), said
  stencil = 0
  do j = 2, m - 1
    do i = 2, n - 1
      stencil = stencil + USE(a(i - 1, j)) + USE(a(i + 1, j)) + USE(a(i, j - 1)) + USE(a(i, j + 1))
    end do
  end do
end function

real(8) function collapsed(a, w, n, m, l)
  implicit none
  integer :: w, n, m, l, i, j, k
  real(8) :: a(w, m, *), said, sum
  sum = 0
  !$omp do collapse(2)
  do k = 1, l
    do j = 1, m
      do i = 1, n
        sum = sum + k * USE(a(i, j, k))
      end do
    end do
  end do
  !$omp end do nowait
  collapsed = sum
end function

! Arguments by reference: arrays, sizes, and a loop variable.
subroutine called(a, w, from, to, j, sum)
  implicit none
  integer :: w, from, to, j, i
  real(8) :: a(w, *), said, sum
  do i = from, to
    sum = sum + USE(a(i, j))
  end do
end subroutine

real(8) function planes(a, w, m)
  implicit none
  integer :: w, m, j
  real(8) :: a(w, *)
  planes = 0
  do j = 2, m
    !dir$ noinline
    call called(a, w, 3, 200, j, planes)
  end do
end function
