! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A unit that the main program opened, written and read by all threads.

program file_units
  use omp_lib
  implicit none
  integer, parameter :: n = 40
  integer :: i, k, number, status, seen(n)
  real(8) :: half
  character(len=8) :: word
  character(len=60) :: path

  call get_environment_variable('TMPDIR', path)
  if (len_trim(path) == 0) path = '/tmp'
  write (path, '(2a, i0)') trim(path), '/openmp_units_', getpid()

  open (unit=20, file=path, form='formatted', status='replace', action='readwrite')
  !$omp parallel do schedule(static, 1)
  do i = 1, n
    write (20, '(a, 1x, i0, 1x, f8.2)') 'line', i, i * 0.5d0
  end do
  !$omp end parallel do
  rewind (20)
  seen = 0
  !$omp parallel do ordered schedule(static, 1) private(word, number, half, status)
  do i = 1, n
    !$omp ordered
    read (20, *, iostat=status) word, number, half
    if (status /= 0 .or. word /= 'line' .or. half /= number * 0.5d0) call fail('A line is wrong.')
    seen(number) = seen(number) + 1
    !$omp end ordered
  end do
  !$omp end parallel do
  if (any(seen /= 1)) call fail('Not every line was read once.')
  close (20, status='delete')

  ! Direct access: each thread its own records, and then its neighbour's.
  open (newunit=k, form='unformatted', access='direct', recl=16, status='scratch')
  !$omp parallel do schedule(static, 1)
  do i = 1, n
    write (k, rec=i) i * 3, i * 5, i * 7, i
  end do
  !$omp end parallel do
  !$omp parallel do schedule(static, 1) private(seen)
  do i = 1, n
    read (k, rec=n + 1 - i) seen(1:4)
    if (any(seen(1:4) /= (n + 1 - i) * [3, 5, 7, 1])) call fail('A record is wrong.')
  end do
  !$omp end parallel do
  close (k)
  print '(a)', 'ok'

contains

  subroutine fail(sentence)
    character(len=*), intent(in) :: sentence
    write (0, '(2a)') 'file_units: ', sentence
    stop 1
  end subroutine fail

  integer function getpid()
    use iso_c_binding
    interface
      integer(c_int) function c_getpid() bind(c, name='getpid')
        import
      end function
    end interface
    getpid = c_getpid()
  end function
end program file_units
