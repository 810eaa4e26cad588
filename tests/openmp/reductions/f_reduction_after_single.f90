! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A single without a wait sets what a reduction adds to; and a flag is polled for with flushes, while
! its writer waits in a barrier. On one node libomp reduces, which may lose what the single sets.
! least_nodes: 2
program reduction_after_single
  use omp_lib
  implicit none
  integer, parameter :: turns = 200, items = 64
  real(8) :: d, rho, rho0, v(5)
  integer :: flag

  call sums()
  call polling()
  print '(a)', 'ok'

contains

  subroutine expect(holds, text)
    logical, intent(in) :: holds
    character(*), intent(in) :: text
    if (holds) return
    print '(a)', text
    stop 1
  end subroutine

  subroutine sums()
    integer :: turn, i, wrong
    wrong = 0
    rho = 1
    !$omp parallel private(turn, i)
    do turn = 1, turns
      !$omp single
      d = 0
      v = turn
      rho0 = rho
      rho = 0
      !$omp end single nowait
      !$omp do reduction(+:d, v)
      do i = 1, items
        d = d + i
        v = v + 1
      end do
      !$omp end do
      !$omp do reduction(+:rho)
      do i = 1, items
        rho = rho + turn
      end do
      !$omp end do
      if (d /= items * (items + 1) / 2 .or. rho /= turn * items .or. any(v /= turn + items)) then
        !$omp critical
        wrong = wrong + 1
        !$omp end critical
      end if
      if (turn > 1 .and. rho0 /= (turn - 1) * items) then
        !$omp critical
        wrong = wrong + 1
        !$omp end critical
      end if
      !$omp barrier
    end do
    !$omp end parallel
    call expect(wrong == 0, 'A sum is wrong.')
  end subroutine

  subroutine polling()
    integer :: turn, last
    last = omp_get_max_threads() - 1
    flag = 0
    !$omp parallel private(turn)
    do turn = 1, 20
      if (omp_get_thread_num() == last) flag = turn
      if (omp_get_thread_num() == 0) then
        do while (flag /= turn)
          !$omp flush
        end do
      end if
      !$omp barrier
    end do
    !$omp end parallel
    call expect(flag == 20, 'The flag is wrong.')
  end subroutine
end program
