! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program print_all
  use iso_c_binding
  interface
    function thread_number() bind(c, name="omp_get_thread_num")
      use iso_c_binding
      integer(c_int) :: thread_number
    end function
  end interface
  integer :: i, lines
  real :: x
  lines = 0
  !$omp parallel private(i, x) reduction(+:lines)
  do i = 1, 20
    call random_number(x)
    if (x >= 0) print *, 'thread', thread_number(), 'line', i
    lines = lines + 1
  end do
  !$omp end parallel
  print *, 'all of', lines
end program
