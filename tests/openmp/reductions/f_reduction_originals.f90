! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! What one thread stores to what a reduction adds to, with no barrier between the two.
program reduction_originals
  use omp_lib
  implicit none
  integer, parameter :: turns = 30, items = 64, total = items * (items + 1) / 2
  real(8) :: s, v(5)
  real(8), allocatable :: a(:)
  integer :: wrong
  integer, target :: page(2048)
  integer, pointer :: told

  wrong = 0
  told => page(1024)
  told = 0
  allocate(a(9))
  call go()
  if (wrong /= 0) then
    print '(i0, a)', wrong, ' times something is wrong.'
    stop 1
  end if
  print '(a)', 'ok'

contains

  subroutine go()
    integer :: turn, i, k, me
    !$omp parallel private(turn, i, k, me)
    me = omp_get_thread_num()
    do turn = 1, turns
      k = mod(turn, omp_get_num_threads())
      if (me == k) then
        s = turn
        v = turn
        a = turn
        call tell(3 * turn)
      end if
      call wait_until_told(3 * turn)
      !$omp do reduction(+:s, v, a)
      do i = 1, items
        s = s + i
        v = v + i
        a = a + i
      end do
      !$omp end do
      if (s /= turn + total) call count()
      if (any(v /= turn + total)) call count()
      if (any(a /= turn + total)) call count()
      !$omp barrier
      !$omp critical
      if (me == k) then
        s = turn
        call tell(3 * turn + 1)
      end if
      !$omp end critical
      call wait_until_told(3 * turn + 1)
      !$omp do reduction(+:s)
      do i = 1, items
        s = s + i
      end do
      !$omp end do
      if (s /= turn + total) call count()
      !$omp barrier
      !$omp sections
      !$omp section
      !$omp section
      !$omp section
      s = turn
      call tell(3 * turn + 2)
      !$omp end sections nowait
      call wait_until_told(3 * turn + 2)
      !$omp do reduction(+:s)
      do i = 1, items
        s = s + i
      end do
      !$omp end do
      if (s /= turn + total) call count()
      !$omp barrier
    end do
    !$omp end parallel
  end subroutine

  ! Nobody adds before it has been stored: libomp forgives no more. Relaxed, so it is no flush.
  subroutine tell(turn)
    integer, intent(in) :: turn
    !$omp atomic write
    told = turn
  end subroutine

  subroutine wait_until_told(turn)
    integer, intent(in) :: turn
    integer :: now
    now = -1
    do while (now /= turn)
      !$omp atomic read
      now = told
    end do
  end subroutine

  subroutine count()
    !$omp atomic
    wrong = wrong + 1
  end subroutine
end program
