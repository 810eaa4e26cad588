! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Array expressions of Fortran, plane by plane. Arguments: SIZE STEPS.
program arrays
  use omp_lib
  implicit none
  integer :: n, steps, each
  real(8), allocatable :: a(:, :, :), b(:, :, :), c(:, :, :), d(:, :, :)
  real(8) :: start, seconds
  n = argument(1, 100)
  steps = argument(2, 20)
  allocate (a(n, n, n), b(n, n, n), c(n, n, n), d(n, n, n))
  call begin(a)
  call begin(c)
  b = a
  d = c
  call step(a, b)
  start = omp_get_wtime()
  do each = 2, steps
    call step(a, b)
  end do
  seconds = omp_get_wtime() - start
  call omp_set_num_threads(1)
  do each = 1, steps
    call step(c, d)
  end do
  print '(a, f0.6)', 'seconds ', seconds
  if (all(a == c)) print '(a)', 'ok'
contains
  integer function argument(place, otherwise)
    integer, intent(in) :: place, otherwise
    character(20) :: text
    call get_command_argument(place, text)
    argument = otherwise
    if (len_trim(text) > 0) read (text, *) argument
  end function

  subroutine begin(x)
    real(8), intent(out) :: x(:, :, :)
    integer :: k
    do k = 1, size(x, 3)
      x(:, :, k) = 1.0 / k
    end do
  end subroutine

  subroutine step(x, y)
    real(8), intent(inout) :: x(:, :, :), y(:, :, :)
    integer :: k
    !$omp parallel do
    do k = 2, size(x, 3) - 1
      y(2:n-1, 2:n-1, k) = (x(2:n-1, 2:n-1, k-1) + x(2:n-1, 2:n-1, k+1) + x(1:n-2, 2:n-1, k) &
                            + x(3:n, 2:n-1, k) + x(2:n-1, 1:n-2, k) + x(2:n-1, 3:n, k)) / 6
    end do
    !$omp parallel do
    do k = 2, size(x, 3) - 1
      x(:, :, k) = 0.5 * (x(:, :, k) + y(:, :, k))
    end do
  end subroutine
end program
