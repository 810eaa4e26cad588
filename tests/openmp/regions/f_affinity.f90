! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Affinity formats with the whole team's numbers, from Fortran.

program f_affinity
  use omp_lib
  implicit none
  character(len=40) :: text, expected
  integer :: length, wrong

  wrong = 0
  !$omp parallel private(text, expected, length) reduction(+: wrong)
  length = omp_capture_affinity(text, '%n of %N')
  write (expected, '(i0, a, i0)') omp_get_thread_num(), ' of ', omp_get_num_threads()
  if (text /= expected .or. length /= len_trim(expected)) wrong = wrong + 1
  !$omp end parallel
  if (wrong /= 0) then
    write (0, '(i0, a)') wrong, ' threads are described wrongly.'
    stop 1
  end if
  print '(a)', 'ok'
end program f_affinity
