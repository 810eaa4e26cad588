! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Arrays of Fortran that assignments and loops overwrite whole, in parts, backwards, or from
! themselves: each element is as on one node.

module arrays
  implicit none
  integer, parameter :: n = 200, m = 150
  real(8) :: u(5, n, m), a(n, m), b(n, m), v(n * m)
  complex(8) :: z(n, m)
  integer :: turn = 0
contains
  subroutine fill
    integer :: i, j
    !$omp barrier
    !$omp single
    turn = turn + 1
    do j = 1, m
      do i = 1, n
        u(:, i, j) = turn + i
        a(i, j) = turn + i + 1000 * j
        b(i, j) = turn - i
        z(i, j) = turn
        v(i + n * (j - 1)) = i
      end do
    end do
    !$omp end single
  end subroutine fill

  subroutine expect(holds, sentence)
    logical, intent(in) :: holds
    character(*), intent(in) :: sentence
    if (holds) return
    print *, sentence
    error stop 1
  end subroutine expect

  ! Nothing is known here of the arrays' sizes, nor of whether their elements follow each other.
  subroutine assign_described(to, from)
    real(8), intent(out) :: to(:, :)
    real(8), intent(in) :: from(:, :)
    integer :: i, j
    do j = 1, size(to, 2)
      do i = 1, size(to, 1)
        to(i, j) = 2 * from(i, j)
      end do
    end do
  end subroutine assign_described

  subroutine assign_sized(to, columns, rows, first, last)
    integer, intent(in) :: columns, rows, first, last
    real(8), intent(inout) :: to(columns, rows)
    integer :: i, j
    do j = 1, rows
      do i = first, last
        to(i, j) = i - j
      end do
    end do
  end subroutine assign_sized

  subroutine nests
    integer :: i, j, k
    call fill
    !$omp do
    do j = 1, m
      do i = 1, n
        do k = 1, 5
          u(k, i, j) = k + 10 * i + 10000 * j
        end do
      end do
    end do
    do j = 1, m
      do i = 1, n
        call expect(all(u(:, i, j) == [(k + 10 * i + 10000 * j, k = 1, 5)]), 'A record is wrong.')
      end do
    end do
    call fill
    !$omp do collapse(2)
    do j = 1, m
      do i = 1, n
        u(1, i, j) = -i
        u(5, i, j) = -j
      end do
    end do
    do j = 1, m
      do i = 1, n
        call expect(u(1, i, j) == -i .and. u(5, i, j) == -j .and. all(u(2:4, i, j) == turn + i), &
                    'A part of a record is wrong.')
      end do
    end do
    call fill
    !$omp do
    do j = 1, m
      do i = n, 1, -1
        a(i, j) = b(i, j) + 1
        z(i, j) = cmplx(i, j, 8)
      end do
    end do
    do i = 1, n
      call expect(all(a(i, :) == turn - i + 1), 'An element is wrong.')
      call expect(all(z(i, :) == [(cmplx(i, j, 8), j = 1, m)]), 'A complex number is wrong.')
    end do
  end subroutine nests

  subroutine assignments
    integer :: i, j
    call fill
    !$omp workshare
    a = 2 * b
    z = (1, 2)
    u(:, :, 2:m) = 7
    !$omp end workshare
    do i = 1, n
      call expect(all(a(i, :) == 2 * (turn - i)), 'The assigned array is wrong.')
      call expect(all(u(:, i, 1) == turn + i), 'The first plane was left alone.')
    end do
    call expect(all(u(:, :, 2:) == 7) .and. all(z == (1, 2)), 'An assigned value is wrong.')
    call fill
    !$omp single
    a(:, 2:) = a(:, :m - 1)
    v(:n * m - 1) = v(2:)
    !$omp end single
    do j = 2, m
      call expect(all(a(:, j) == [(turn + i + 1000 * (j - 1), i = 1, n)]), 'A moved column is wrong.')
    end do
    call expect(all(a(:, 1) == [(turn + i + 1000, i = 1, n)]), 'The first column is wrong.')
    call expect(all(v(:n * m - 1) == [(mod(i, n) + 1, i = 1, n * m - 1)]), 'A moved element is wrong.')
    call fill
    !$omp single
    call assign_described(a(1:n:2, :), b(1:n:2, :))
    call assign_described(z%re, b)
    call assign_sized(b, n, m, 1, n)
    call assign_sized(u, 5 * n, m, 2, 5 * n - 1)
    !$omp end single
    do i = 1, n, 2
      call expect(all(a(i, :) == 2 * (turn - i)), 'An odd row is wrong.')
      call expect(all(a(i + 1, :) == [(turn + i + 1 + 1000 * j, j = 1, m)]), 'An even row has changed.')
    end do
    do j = 1, m
      call expect(all(b(:, j) == [(i - j, i = 1, n)]), 'A sized array is wrong.')
      call expect(all(z(:, j) == [(2 * (turn - i), i = 1, n)]), 'A real part is wrong.')
      call expect(u(1, 1, j) == turn + 1 .and. u(5, n, j) == turn + n, 'An edge has changed.')
      call expect(u(2, 1, j) == 2 - j .and. u(4, n, j) == 5 * n - 1 - j, 'An inner value is wrong.')
    end do
  end subroutine assignments
end module arrays

program f_overwriting
  use arrays
  implicit none
  integer :: i
  !$omp parallel private(i)
  do i = 1, 3
    call nests
    call assignments
  end do
  !$omp end parallel
  print '(a)', 'ok'
end program f_overwriting
