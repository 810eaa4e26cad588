! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Threadprivate variables of Fortran in regions that run now on all nodes, now inside node 0: each
! thread finds what the thread of its number has left, and so does copyin.
!
! environment: WEFT_SPREAD=random
module variables
  implicit none
  integer, save :: count = 0
  integer :: history(500)
  common /kept/ history
  !$omp threadprivate(count, /kept/)
end module

program f_threadprivate_placed
  use omp_lib
  use variables
  implicit none
  integer, parameter :: rounds = 100
  integer :: round, wrong
  wrong = 0
  do round = 1, rounds
    !$omp parallel reduction(+:wrong)
    call go_on(round, wrong)
    !$omp end parallel
  end do
  count = 7
  !$omp parallel copyin(count) reduction(+:wrong)
  if (count /= 7) wrong = wrong + 1
  if (any(history(1:rounds) /= [(1000 * omp_get_thread_num() + round, round = 1, rounds)])) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) then
    print '(a,i0)', 'wrong: ', wrong
    stop 1
  end if
  print '(a)', 'ok'

contains

  subroutine go_on(round, wrong)
    integer, intent(in) :: round
    integer, intent(inout) :: wrong
    if (count /= round - 1) wrong = wrong + 1
    count = count + 1
    history(round) = 1000 * omp_get_thread_num() + round
  end subroutine
end program
