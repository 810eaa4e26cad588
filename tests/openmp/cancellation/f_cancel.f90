! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Cancellation of parallel, do and sections in Fortran.
! On one node it is libomp that cancels, and 19.1 fails an assertion of its own in dynamic loops.
! environment: OMP_CANCELLATION=true
! least_nodes: 2

program f_cancel
  use omp_lib
  implicit none
  integer :: i, after, whole, round
  logical, volatile :: over = .false.
  if (.not. omp_get_cancellation()) call wrong('cancellation is off')
  do round = 1, 5
    after = 0
    !$omp parallel
    if (omp_get_thread_num() == omp_get_num_threads() - 1) then
      !$omp cancel parallel
    end if
    do while (.not. over)
      !$omp cancellation point parallel
    end do
    !$omp atomic
    after = after + 1
    !$omp end parallel
    if (after /= 0) call wrong('threads went on in a cancelled region')

    after = 0
    whole = 0
    !$omp parallel
    !$omp do schedule(dynamic, 5)
    do i = 1, 10000000
      if (i == 100) then
        !$omp cancel do
      end if
      !$omp cancellation point do
    end do
    !$omp end do
    !$omp do reduction(+:whole)
    do i = 1, 100
      whole = whole + 1
    end do
    !$omp end do
    !$omp sections
    !$omp section
    !$omp cancel sections
    call wrong('a cancelled section went on')
    !$omp section
    continue
    !$omp end sections
    !$omp atomic
    after = after + 1
    !$omp end parallel
    if (after /= omp_get_max_threads()) call wrong('not all threads left the loop')
    if (whole /= 100) call wrong('the loop after the cancelled one was not whole')
  end do
  print '(a)', 'ok'
contains
  subroutine wrong(what)
    character(*), intent(in) :: what
    print '(a)', what
    error stop 1
  end subroutine
end program f_cancel
