! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! What a thread prints in its turn comes before what is printed in the next. The order is checked by
! whoever reads the output.

program f_print_order
  use omp_lib
  implicit none
  integer :: i, round, spoken
  !$omp parallel do ordered schedule(dynamic)
  do i = 0, 29
    !$omp ordered
    print '(a, i0)', 'ordered:', i
    !$omp end ordered
  end do
  !$omp parallel do ordered schedule(static, 1)
  do i = 0, 29
    !$omp ordered
    write (*, '(a, i0, a)', advance='no') 'line:', i, ' '
    !$omp end ordered
  end do
  print *
  spoken = 0
  !$omp parallel private(round)
  do round = 1, 4
    !$omp critical
    print '(a, i0)', 'critical:', spoken
    spoken = spoken + 1
    !$omp end critical
  end do
  !$omp end parallel
  print '(a)', 'ok'
end program f_print_order
