! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Variables in common blocks, modules and saved locals, shared by all threads and initialised once.

module shared_state
  implicit none
  integer :: counter = 3
  real(8), dimension(5000) :: field = 1.5d0
  character(len=20) :: label = 'before'
  integer, allocatable :: table(:)
contains
  integer function calls()
    integer, save :: count = 0
    !$omp atomic
    count = count + 1
    calls = count
  end function calls
end module shared_state

program f_sharing
  use omp_lib
  use shared_state
  implicit none
  integer :: i, me, n, common_number, local_number, ignored
  real(8) :: common_field(300)
  common /numbers/ common_number, common_field

  n = omp_get_max_threads()
  common_number = 10
  common_field = 0
  local_number = 5
  !$omp parallel private(me, ignored) default(shared)
  me = omp_get_thread_num()
  if (common_number /= 10 .or. local_number /= 5) call fail('A shared number is wrong.')
  if (counter /= 3 .or. field(5000) /= 1.5d0) call fail('A module variable is wrong.')
  if (label /= 'before') call fail('The label is wrong.')
  !$omp barrier
  !$omp do
  do i = 1, 5000
    field(i) = field(i) + i
  end do
  !$omp end do
  !$omp do schedule(dynamic, 7)
  do i = 1, 300
    common_field(i) = field(i * 10)
  end do
  !$omp end do
  ignored = calls()
  !$omp master
  label = 'after'
  common_number = 20
  allocate (table(1000))
  !$omp end master
  !$omp barrier
  if (label /= 'after' .or. common_number /= 20) call fail('A new value is not seen.')
  !$omp do schedule(guided)
  do i = 1, 1000
    table(i) = 2 * i
  end do
  !$omp end do
  if (table(1000) /= 2000 .or. table(1) /= 2) call fail('The allocated table is wrong.')
  !$omp end parallel
  do i = 1, 300
    if (common_field(i) /= 1.5d0 + 10 * i) call fail('The common field is wrong.')
  end do
  if (calls() /= n + 1) call fail('The saved count is wrong.')
  if (sum(table) /= 1001000) call fail('The sum of the table is wrong.')
  deallocate (table)
  call more()
  print '(a)', 'ok'

contains

  subroutine more()
    integer :: total
    total = common_number
    !$omp parallel reduction(+: total)
    total = total + 1
    !$omp end parallel
    if (total /= 20 + n) call fail('The total is wrong.')
  end subroutine more

  subroutine fail(sentence)
    character(len=*), intent(in) :: sentence
    write (0, '(2a)') 'f_sharing: ', sentence
    stop 1
  end subroutine fail
end program f_sharing
