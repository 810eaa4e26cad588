! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Sections that only add, under locks and critical, as meshes do: no sum is lost, and none is read too
! old.
module mesh
  use omp_lib
  implicit none
  integer, parameter :: points = 100, rounds = 5, turns = 4
  integer(omp_lock_kind) :: locks(points)
  double precision :: force(points), moved(points)
contains

  subroutine add(to, terms, first)
    double precision :: to(*), terms(*)
    integer, intent(in) :: first
    integer :: at, i
    do i = 1, points
      at = 1 + mod(first + i, points)
      call omp_set_lock(locks(at))
      to(at) = to(at) + terms(at) * 0.5d0
      call omp_unset_lock(locks(at))
    end do
  end subroutine
end module

program adding_sections
  use mesh
  implicit none
  double precision :: terms(points), total
  integer :: i, round, turn, threads

  do i = 1, points
    call omp_init_lock(locks(i))
    terms(i) = 2 * i
  end do
  force = 0
  moved = 0
  total = 0
  threads = 1
  !$omp parallel private(round, turn, i)
  !$omp single
  threads = omp_get_num_threads()
  !$omp end single
  do round = 1, rounds
    do turn = 1, turns
      call add(force, terms, omp_get_thread_num() * 7)
      call add(moved, terms, omp_get_thread_num() * 11)
    end do
    !$omp critical
    total = total + 0.5d0
    !$omp end critical
    !$omp barrier
    do i = 1, points
      if (force(i) /= dble(i) * turns * round * threads) error stop 'a force is wrong'
      if (moved(i) /= dble(i) * turns * round * threads) error stop 'a move is wrong'
    end do
    if (total /= 0.5d0 * round * threads) error stop 'the total is wrong'
    !$omp barrier
  end do
  !$omp end parallel
  print '(a)', 'ok'
end program
