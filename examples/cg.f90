! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Solves a sparse linear system by conjugate gradients.
!
!   cg [SIZE [MAXIMUM_OF_STEPS]]
!
! The matrix is the five-point operator of a plate of SIZE x SIZE cells whose conductivity varies,
! kept in compressed rows. The right-hand side is made from a known solution, which the result is
! compared with.
!
! A scalar product is summed within fixed blocks, and the blocks are added in order, so the result
! is the same to the last bit with any number of threads.

module sparse
  use iso_fortran_env, only: real64, int64
  implicit none
  integer, parameter :: block_rows = 1024

  type :: matrix
    integer :: rows = 0
    integer, allocatable :: first(:)   ! row i is first(i) up to first(i + 1) - 1
    integer, allocatable :: column(:)
    real(real64), allocatable :: entry(:)
  end type matrix

contains

  ! How well heat flows between two neighbouring cells.
  pure real(real64) function conductivity(a, b)
    integer, intent(in) :: a, b
    conductivity = 1.0_real64 + real(mod(int(min(a, b), int64) * 7919_int64 + max(a, b), 101_int64), &
                                     real64) / 101.0_real64
  end function conductivity

  subroutine build(a, n)
    type(matrix), intent(inout) :: a
    integer, intent(in) :: n
    integer :: x, y, row, at, k, neighbour
    integer :: offsets_x(4) = [0, -1, 1, 0], offsets_y(4) = [-1, 0, 0, 1]
    real(real64) :: weight

    a%rows = n * n
    allocate (a%first(a%rows + 1), a%column(5 * a%rows), a%entry(5 * a%rows))
    ! Every row gets room for five entries; those on the border leave some of it as zeros.
    !$omp parallel do collapse(2) schedule(static) default(none) shared(a, n, offsets_x, offsets_y) &
    !$omp& private(row, at, k, neighbour, weight)
    do y = 1, n
      do x = 1, n
        row = (y - 1) * n + x
        at = 5 * (row - 1) + 1
        a%first(row) = at
        a%column(at) = row
        a%entry(at) = 0.05_real64
        do k = 1, 4
          at = at + 1
          a%column(at) = row
          a%entry(at) = 0.0_real64
          if (x + offsets_x(k) < 1 .or. x + offsets_x(k) > n) cycle
          if (y + offsets_y(k) < 1 .or. y + offsets_y(k) > n) cycle
          neighbour = row + offsets_y(k) * n + offsets_x(k)
          weight = conductivity(row, neighbour)
          a%column(at) = neighbour
          a%entry(at) = -weight
          a%entry(a%first(row)) = a%entry(a%first(row)) + weight
        end do
      end do
    end do
    a%first(a%rows + 1) = 5 * a%rows + 1
  end subroutine build

  ! y = A x. Called by all threads of a team.
  subroutine multiply(a, x, y)
    type(matrix), intent(in) :: a
    real(real64), intent(in) :: x(:)
    real(real64), intent(inout) :: y(:)
    integer :: row, at
    real(real64) :: sum
    !$omp do schedule(static)
    do row = 1, a%rows
      sum = 0.0_real64
      do at = a%first(row), a%first(row + 1) - 1
        sum = sum + a%entry(at) * x(a%column(at))
      end do
      y(row) = sum
    end do
    !$omp end do
  end subroutine multiply

  ! The scalar products of each block of rows. Called by all threads of a team.
  subroutine block_products(x, y, partial)
    real(real64), intent(in) :: x(:), y(:)
    real(real64), intent(inout) :: partial(:)
    integer :: b, row
    real(real64) :: sum
    !$omp do schedule(guided)
    do b = 1, size(partial)
      sum = 0.0_real64
      do row = (b - 1) * block_rows + 1, min(b * block_rows, size(x))
        sum = sum + x(row) * y(row)
      end do
      partial(b) = sum
    end do
    !$omp end do
  end subroutine block_products

  subroutine solve(a, b, x, most_steps, steps, residual)
    type(matrix), intent(in) :: a
    real(real64), intent(in) :: b(:)
    real(real64), intent(inout) :: x(:)
    integer, intent(in) :: most_steps
    integer, intent(out) :: steps
    real(real64), intent(out) :: residual
    real(real64), allocatable :: r(:), p(:), ap(:), partial(:)
    real(real64) :: rr, rr_before, alpha, beta, target_rr
    integer :: row
    logical :: done

    allocate (r(a%rows), p(a%rows), ap(a%rows), partial((a%rows + block_rows - 1) / block_rows))
    steps = 0
    done = .false.
    !$omp parallel default(shared) private(row)
    !$omp do schedule(static)
    do row = 1, a%rows
      x(row) = 0.0_real64
      r(row) = b(row)
      p(row) = b(row)
    end do
    !$omp end do
    call block_products(r, r, partial)
    !$omp single
    rr = sum(partial)
    target_rr = rr * 1.0e-20_real64
    !$omp end single
    do while (.not. done)
      call multiply(a, p, ap)
      call block_products(p, ap, partial)
      !$omp single
      alpha = rr / sum(partial)
      !$omp end single
      !$omp do schedule(static)
      do row = 1, a%rows
        x(row) = x(row) + alpha * p(row)
        r(row) = r(row) - alpha * ap(row)
      end do
      !$omp end do
      call block_products(r, r, partial)
      !$omp single
      rr_before = rr
      rr = sum(partial)
      beta = rr / rr_before
      steps = steps + 1
      done = steps >= most_steps .or. rr <= target_rr
      !$omp end single
      !$omp do schedule(static)
      do row = 1, a%rows
        p(row) = r(row) + beta * p(row)
      end do
      !$omp end do
    end do
    !$omp end parallel
    residual = sqrt(rr)
  end subroutine solve

end module sparse

program cg
  use sparse
  implicit none
  type(matrix) :: a
  real(real64), allocatable :: known(:), b(:), x(:)
  real(real64) :: residual, error, start_residual
  integer :: n, most_steps, steps, row
  integer(int64) :: hash

  n = argument(1, 800)
  most_steps = argument(2, 300)
  if (n < 2 .or. most_steps < 1) call die('Usage: cg [SIZE [MAXIMUM_OF_STEPS]]')

  call build(a, n)
  allocate (known(a%rows), b(a%rows), x(a%rows))
  !$omp parallel
  !$omp do schedule(dynamic, 256)
  do row = 1, a%rows
    known(row) = sin(0.001_real64 * row) + 0.5_real64
  end do
  !$omp end do
  call multiply(a, known, b)
  !$omp end parallel
  start_residual = norm2(b)

  call solve(a, b, x, most_steps, steps, residual)

  ! The matrix has no eigenvalue below 0.05, which bounds the error by the residual.
  error = 0.0_real64
  !$omp parallel do reduction(max: error)
  do row = 1, a%rows
    error = max(error, abs(x(row) - known(row)))
  end do
  !$omp end parallel do

  hash = 0_int64
  do row = 1, a%rows
    hash = ieor(ishftc(hash, 7), transfer(x(row), hash))
  end do
  print '(a, i0, a, i0, a)', 'cg: ', a%rows, ' unknowns, ', steps, ' steps'
  print '(a, z16.16)', 'checksum: ', hash
  if (residual > 1.0e-4_real64 * start_residual) call die('The residual did not fall as it should.')
  if (error > residual / 0.05_real64 + 1.0e-9_real64) &
    call die('The solution differs from the known one.')
  print '(a)', 'cg: verified'

contains

  integer function argument(place, otherwise)
    integer, intent(in) :: place, otherwise
    character(len=32) :: text
    integer :: status
    argument = otherwise
    if (command_argument_count() < place) return
    call get_command_argument(place, text)
    read (text, *, iostat=status) argument
    if (status /= 0) argument = -1
  end function argument

  subroutine die(sentence)
    use iso_fortran_env, only: error_unit
    character(len=*), intent(in) :: sentence
    write (error_unit, '(2a)') 'cg: ', sentence
    stop 1
  end subroutine die

end program cg
