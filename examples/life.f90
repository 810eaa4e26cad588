! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Conway's Game of Life on a torus.
!
!   life [SIZE [GENERATIONS]]
!
! Gliders on one half, which must come back to where they started after 4 * SIZE generations; the
! default and the tests also run a random field, compared with a run by one thread. Each thread
! counts the births that it saw in a variable of its own (threadprivate).

module board
  implicit none
  integer, save :: births = 0
  !$omp threadprivate(births)
  integer, allocatable, save :: now(:, :), next(:, :)

contains

  subroutine evolve_column(from, to, n, x)
    integer, intent(in) :: n, x
    integer, intent(in) :: from(n, n)
    integer, intent(inout) :: to(n, n)
    integer :: y, left, right, up, down, around
    left = modulo(x - 2, n) + 1
    right = modulo(x, n) + 1
    do y = 1, n
      up = y - 1
      if (up == 0) up = n
      down = y + 1
      if (down > n) down = 1
      around = from(up, left) + from(up, x) + from(up, right) + from(y, left) + from(y, right) &
               + from(down, left) + from(down, x) + from(down, right)
      to(y, x) = 0
      if (around == 3 .or. (around == 2 .and. from(y, x) == 1)) to(y, x) = 1
      if (to(y, x) > from(y, x)) births = births + 1
    end do
  end subroutine evolve_column

  ! Runs the board in `now`, and returns how many cells were born.
  integer function run(n, generations)
    integer, intent(in) :: n, generations
    integer :: generation, x
    births = 0
    run = 0
    !$omp parallel copyin(births) private(generation) shared(run)
    do generation = 1, generations
      !$omp do schedule(dynamic, 4)
      do x = 1, n
        call evolve_column(now, next, n, x)
      end do
      !$omp end do
      !$omp workshare
      now = next
      !$omp end workshare
    end do
    !$omp critical (counting)
    run = run + births
    !$omp end critical (counting)
    !$omp end parallel
  end function run

  integer function run_alone(n, generations, field)
    integer, intent(in) :: n, generations
    integer, intent(inout) :: field(n, n)
    integer, allocatable :: other(:, :)
    integer :: generation, x
    allocate (other(n, n))
    births = 0
    do generation = 1, generations
      do x = 1, n
        call evolve_column(field, other, n, x)
      end do
      field = other
    end do
    run_alone = births
  end function run_alone

end module board

program life
  use board
  use iso_fortran_env, only: int64, error_unit
  implicit none
  integer, allocatable :: start(:, :), alone(:, :)
  integer :: n, generations, x, y, born, born_alone, alive
  integer(int64) :: hash, draw

  n = argument(1, 700)
  generations = argument(2, 300)
  if (n < 8 .or. generations < 1) call die('Usage: life [SIZE [GENERATIONS]]')
  allocate (now(n, n), next(n, n), start(n, n), alone(n, n))

  ! A random field, the same for any number of threads.
  !$omp parallel do collapse(2) private(draw)
  do x = 1, n
    do y = 1, n
      draw = mod(int(x, int64) * 2654435761_int64 + int(y, int64) * 40503_int64 &
                 + int(x, int64) * y * 7_int64 + ieor(int(x, int64), int(y * y, int64)), 1000003_int64)
      now(y, x) = 0
      if (mod(draw, 3_int64) == 0) now(y, x) = 1
    end do
  end do
  !$omp end parallel do
  alone = now
  born = run(n, generations)

  alive = 0
  hash = int(born, int64)
  !$omp parallel do reduction(+: alive)
  do x = 1, n
    alive = alive + sum(now(:, x))
  end do
  !$omp end parallel do
  do x = 1, n
    do y = 1, n
      hash = ieor(ishftc(hash, 5), int(now(y, x), int64) * 1099511628211_int64)
    end do
  end do
  print '(a, i0, a, i0, a, i0, a, i0, a)', 'life: ', n, ' x ', n, ', ', generations, &
    ' generations, ', alive, ' cells alive'
  print '(a, z16.16)', 'checksum: ', hash

  born_alone = run_alone(n, generations, alone)
  if (any(alone /= now)) call die('The field differs from the one-thread run.')
  if (born /= born_alone) call die('The births differ from those of the one-thread run.')
  call fly_a_glider()
  print '(a)', 'life: verified'

contains

  subroutine fly_a_glider()
    integer, parameter :: small = 16
    deallocate (now, next)
    allocate (now(small, small), next(small, small))
    now = 0
    now(1, 2) = 1
    now(2, 3) = 1
    now(3, 1:3) = 1
    start = now
    born = run(small, 4 * small)
    if (any(now /= start)) call die('The glider did not come back.')
  end subroutine fly_a_glider

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
    character(len=*), intent(in) :: sentence
    write (error_unit, '(2a)') 'life: ', sentence
    stop 1
  end subroutine die

end program life
