! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Critical sections, atomics in all forms, locks, barriers, master and flush in Fortran.

program f_synchronisation
  use omp_lib
  implicit none
  integer, parameter :: rounds = 25
  integer :: n, round, me, team, chain, expected, named, sum_atomic, least, ticket, i, now
  integer :: taken(0:30000), place(0:1023), masters
  real(8) :: real_sum
  logical :: flag
  integer(omp_lock_kind) :: lock
  integer :: under_lock, turn

  n = omp_get_max_threads()
  chain = 0; named = 0; sum_atomic = 0; least = 10000; ticket = 0; taken = 0; real_sum = 0
  flag = .false.; under_lock = 0; masters = 0; turn = 0
  call omp_init_lock(lock)
  !$omp parallel private(me, team, round, i, now)
  me = omp_get_thread_num()
  team = omp_get_num_threads()
  do round = 1, rounds
    !$omp critical
    chain = mod(chain * 3 + 1, 1000003)
    !$omp end critical
    !$omp critical (name)
    named = named + 2
    !$omp end critical (name)
    !$omp atomic update
    sum_atomic = sum_atomic + round
    !$omp atomic
    real_sum = real_sum + 0.25d0
    !$omp atomic
    least = min(least, 500 - me - round)
    !$omp atomic
    flag = flag .or. round == 7
    !$omp atomic capture
    i = ticket
    ticket = ticket + 1
    !$omp end atomic
    !$omp atomic
    taken(i) = taken(i) + 1
    call omp_set_lock(lock)
    under_lock = under_lock + 1
    call omp_unset_lock(lock)
  end do
  !$omp master
  masters = masters + 1
  !$omp end master
  do round = 1, rounds
    place(me) = round * 1000 + me
    !$omp barrier
    do i = 0, team - 1
      if (place(i) /= round * 1000 + i) call expect(.false., 'A barrier let an old value through.')
    end do
    !$omp barrier
  end do
  do
    !$omp atomic read
    now = turn
    if (now == me) exit
    !$omp flush
  end do
  !$omp atomic write
  turn = me + 1
  !$omp end parallel
  call omp_destroy_lock(lock)
  expected = 0
  do i = 1, rounds * n
    expected = mod(expected * 3 + 1, 1000003)
  end do
  call expect(chain == expected, 'The chain under the critical section is wrong.')
  call expect(named == 2 * rounds * n, 'The named critical section is wrong.')
  call expect(sum_atomic == n * rounds * (rounds + 1) / 2, 'The atomic sum is wrong.')
  call expect(real_sum == 0.25d0 * n * rounds, 'The atomic real sum is wrong.')
  call expect(least == 500 - (n - 1) - rounds .and. flag, 'The atomic minimum is wrong.')
  call expect(ticket == n * rounds, 'The tickets are wrong.')
  call expect(all(taken(0:ticket - 1) == 1), 'A ticket was taken twice.')
  call expect(under_lock == n * rounds, 'The count under the lock is wrong.')
  call expect(masters == 1 .and. turn == n, 'master or the turns are wrong.')
  print '(a)', 'ok'

contains

  subroutine expect(condition, sentence)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: sentence
    if (condition) return
    write (0, '(2a)') 'f_synchronisation: ', sentence
    stop 1
  end subroutine expect
end program f_synchronisation
