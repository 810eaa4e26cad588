! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Reading and writing files and internal strings in Fortran: units are opened by the thread that uses
! them, on data that other threads wrote.

program f_files
  use omp_lib
  implicit none
  integer :: me, other, n, i, unit, value, got
  real(8), allocatable :: data(:, :), back(:, :)
  character(len=80), allocatable :: names(:)
  character(len=40) :: text

  n = omp_get_max_threads()
  allocate (data(700, 0:n - 1), back(700, 0:n - 1), names(0:n - 1))
  !$omp parallel private(me, other, i, unit, text, value, got)
  me = omp_get_thread_num()
  other = mod(me + 1, omp_get_num_threads())
  data(:, me) = [(me * 1000 + i * 0.5d0, i=1, 700)]
  !$omp barrier
  !$omp critical
  open (newunit=unit, status='scratch', form='unformatted', access='stream')
  !$omp end critical
  write (unit) data(:, other)
  rewind (unit)
  read (unit) back(:, me)
  close (unit)
  write (text, '(a, i0)') 'value ', 17 * me
  read (text(7:), *) value
  if (value /= 17 * me) call fail('An internal write and read gave another number.')
  names(me) = text
  !$omp barrier
  got = mod(me + 2, omp_get_num_threads())
  if (any(back(:, other) /= data(:, got))) call fail('The file holds other data.')
  !$omp end parallel
  do i = 0, n - 1
    read (names(i)(7:), *) value
    if (value /= 17 * i) call fail('A name is wrong.')
  end do
  print '(a)', 'ok'

contains

  subroutine fail(sentence)
    character(len=*), intent(in) :: sentence
    write (0, '(2a)') 'f_files: ', sentence
    stop 1
  end subroutine fail
end program f_files
