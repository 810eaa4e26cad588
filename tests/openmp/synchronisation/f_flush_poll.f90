! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A plain flag that is polled for with flushes, and no flush between the data and the flag: the poller
! looks when the flag has been stored for certain.
module polled
  implicit none
  type mail
    integer :: padding(7)
    integer :: ready
  end type
  integer, parameter :: turns = 6, page = 1024
  integer, target :: numbers(4 * page)
  type(mail) :: letters(256)
end module

program flush_poll
  use omp_lib
  use polled
  implicit none
  integer :: last

  last = omp_get_max_threads() - 1
  if (last > 0) then
    call go(last, 0)
    call go(0, last)
  end if
  print '(a)', 'ok'

contains

  subroutine go(writer, poller)
    integer, intent(in) :: writer, poller
    integer, pointer :: data, flag, told
    integer :: turn, me, now, kind, wrong
    ! Each in a page of its own.
    data => numbers(1)
    flag => numbers(1 + page)
    told => numbers(1 + 2 * page)
    wrong = 0
    !$omp parallel private(turn, me, now, kind) shared(data, flag, told)
    me = omp_get_thread_num()
    do turn = 1, turns
      do kind = 1, 3
        if (me == poller) data = -turn
        if (me == writer) then
          flag = 0
          told = 0
          letters(40)%ready = 0
        end if
        !$omp barrier
        if (me == writer) then
          data = turn
          if (kind < 3) flag = turn
          if (kind == 3) letters(40)%ready = turn
          !$omp atomic write
          told = turn
        end if
        if (me == poller) then
          now = 0
          do while (now /= turn)
            !$omp atomic read
            now = told
          end do
          if (kind == 1) then
            do while (flag /= turn)
              !$omp flush
            end do
          else if (kind == 2) then
            do
              !$omp flush
              if (flag == turn) exit
            end do
          else
            do while (letters(40)%ready /= turn)
              !$omp flush
            end do
          end if
          if (data /= turn) then
            !$omp atomic
            wrong = wrong + 1
          end if
        end if
        !$omp barrier
      end do
    end do
    !$omp end parallel
    if (wrong /= 0) then
      print '(a, i0, a)', 'The data are old ', wrong, ' times.'
      stop 1
    end if
  end subroutine
end program
