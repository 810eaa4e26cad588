! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! What was printed before a barrier comes before what is printed after it, in whole lines. The order
! is checked by whoever reads the output.

program f_phases
  use omp_lib
  implicit none
  integer :: phase
  !$omp parallel private(phase)
  do phase = 0, 9
    !$omp critical
    print '(a, i0, a, i0)', 'phase ', phase, ' thread ', omp_get_thread_num()
    !$omp end critical
    !$omp barrier
  end do
  !$omp end parallel
  print '(a)', 'ok'
end program f_phases
