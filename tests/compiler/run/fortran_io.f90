! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
! Fortran's own input and output works as ever, and across nodes each statement is between a begin and
! an end, whatever happens inside it: nesting, errors, jumps out of it.
!
! RUN: flang-22 -w -fopenmp %s -o %t.plain && %t.plain > %t.expected
! RUN: weftfc -w -O0 %s -o %t.O0 && %t.O0 | diff %t.expected -
! RUN: weftfc -w -O2 %s -o %t.O2 && %t.O2 | diff %t.expected -
! RUN: %node %t.O0 | diff %t.expected -
! RUN: %node %t.O2 | diff %t.expected -
! RUN: weftfc -w -O2 -S -emit-llvm %s -o - | FileCheck %s
! CHECK: declare void @__weft_fortran_begin(i32)
! CHECK: declare void @__weft_fortran_end()
module nested
contains
  integer function half(n)
    integer, intent(in) :: n
    character(20) :: text
    write (text, '(i0)') n / 2
    read (text, *) half
  end function
end module

program fortran_io
  use nested
  integer :: i, status, total
  real :: x
  character(40) :: line
  print *, 'nested', half(84)
  write (line, '(a, i0)') 'internal ', half(10)
  print '(a)', trim(line)
  open (unit=17, status='scratch')
  write (17, *) 1, 2, 3
  write (17, *) 'not a number'
  rewind (17)
  read (17, *) i, total
  print *, i, total
  read (17, *, iostat=status) total
  print *, 'error', status /= 0
  read (17, *, end=10) total
10 print *, 'after the end'
  close (17)
  total = 0
  !$omp parallel do reduction(+:total)
  do i = 1, 100
    call random_number(x)
    !$omp critical
    write (line, '(i0)') half(2 * i)
    total = total + i
    !$omp end critical
  end do
  print *, total, x >= 0 .and. x < 1
end program
