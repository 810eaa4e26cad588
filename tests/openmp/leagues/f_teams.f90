! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Leagues in Fortran: distribute shared out among threads of all nodes.
program f_teams
  use omp_lib
  implicit none
  integer, parameter :: n = 2000
  integer :: times(n), i, most, limit
  real(8) :: total

  times = 0
  !$omp teams distribute parallel do
  do i = 1, n
    times(i) = times(i) + 1
  end do
  !$omp end teams distribute parallel do
  if (any(times /= 1)) call wrong('An iteration of distribute parallel do did not run once.')

  total = 0
  !$omp teams distribute parallel do reduction(+:total) schedule(dynamic, 3)
  do i = 1, n
    total = total + i
  end do
  !$omp end teams distribute parallel do
  if (total /= n * (n + 1) / 2) call wrong('The sum is wrong.')

  times = 0
  most = 0
  !$omp teams num_teams(1)
  !$omp distribute parallel do reduction(max:most)
  do i = 1, n
    times(i) = times(i) + 1
    most = max(most, omp_get_num_threads())
  end do
  !$omp end distribute parallel do
  !$omp end teams
  if (any(times /= 1)) call wrong('An iteration of distribute did not run once.')
  if (most /= omp_get_max_threads()) call wrong('The team did not have all threads.')

  limit = 0
  !$omp teams num_teams(1) thread_limit(3) shared(limit)
  limit = omp_get_thread_limit()
  !$omp end teams
  if (limit /= 3) call wrong('The thread limit is wrong.')
  print '(a)', 'ok'

contains
  subroutine wrong(sentence)
    character(*), intent(in) :: sentence
    print '(a)', sentence
    stop 1
  end subroutine
end program
