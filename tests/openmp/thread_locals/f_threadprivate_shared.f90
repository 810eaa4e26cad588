! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Threadprivate variables of Fortran by pointers: each thread reads and writes those of the others.
module variables
  implicit none
  integer, parameter :: length = 3000
  integer, save, target :: number = 42
  integer, save, target :: table(length) = 1
  !$omp threadprivate(number, table)
  type addresses
    integer, pointer :: number => null()
    integer, pointer :: table(:) => null()
  end type
  type(addresses), save :: all_of(0:63)
end module

program f_threadprivate_shared
  use omp_lib
  use variables
  implicit none
  integer, pointer :: of_main
  integer :: wrong, round
  wrong = 0
  of_main => number
  !$omp parallel reduction(+:wrong)
  if (of_main /= 42) wrong = wrong + 1
  all_of(omp_get_thread_num())%number => number
  all_of(omp_get_thread_num())%table => table
  !$omp end parallel
  do round = 1, 10
    !$omp parallel reduction(+:wrong)
    call go_round(round, wrong)
    !$omp end parallel
  end do
  number = 77
  !$omp parallel copyin(number) reduction(+:wrong)
  if (number /= 77 .or. of_main /= 77) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) then
    print '(a,i0)', 'wrong: ', wrong
    stop 1
  end if
  print '(a)', 'ok'

contains

  subroutine go_round(round, wrong)
    integer, intent(in) :: round
    integer, intent(inout) :: wrong
    integer :: me, next, third, team
    me = omp_get_thread_num()
    team = omp_get_num_threads()
    next = mod(me + round, team)
    third = mod(me + 2 * round, team)
    all_of(next)%number = 100 * round + next
    all_of(next)%table = 1000 * round + next
    !$omp barrier
    if (number /= 100 * round + me) wrong = wrong + 1
    if (any(table /= 1000 * round + me)) wrong = wrong + 1
    if (all_of(third)%number /= 100 * round + third) wrong = wrong + 1
    if (any(all_of(third)%table /= 1000 * round + third)) wrong = wrong + 1
    !$omp barrier
  end subroutine
end program
