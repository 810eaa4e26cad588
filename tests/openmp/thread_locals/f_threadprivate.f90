! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! threadprivate common blocks and module variables with copyin, and single with copyprivate, of
! scalars, arrays and derived types.

module private_state
  implicit none
  integer, save :: count = 4
  real(8), save :: buffer(600) = 2
  !$omp threadprivate(count, buffer)
  type :: packet
    integer :: number
    real(8) :: values(40)
    character(len=16) :: name
  end type packet
end module private_state

program f_threadprivate
  use omp_lib
  use private_state
  implicit none
  integer :: me, round, i, numbers(2000)
  integer :: seed
  real(8) :: noise(10), x
  common /generator/ seed, noise
  !$omp threadprivate(/generator/)
  type(packet) :: p
  character(len=12) :: word
  logical :: done

  call omp_set_dynamic(.false.)
  !$omp parallel private(me)
  me = omp_get_thread_num()
  call expect(count == 4 .and. all(buffer == 2), 'An initial value is wrong.')
  count = 100 + me
  buffer = me
  seed = 7 * me
  noise = me * 0.5d0
  !$omp end parallel
  !$omp parallel private(me)
  me = omp_get_thread_num()
  call expect(count == 100 + me .and. all(buffer == me), 'A module variable was not kept.')
  call expect(seed == 7 * me .and. all(noise == me * 0.5d0), 'A common block was not kept.')
  !$omp end parallel
  count = -1
  seed = 77
  noise = 0.125d0
  !$omp parallel copyin(count, /generator/) private(me)
  me = omp_get_thread_num()
  call expect(count == -1, 'copyin of a module variable is wrong.')
  call expect(seed == 77 .and. all(noise == 0.125d0), 'copyin of a common block is wrong.')
  !$omp end parallel

  !$omp parallel private(round, i, x, numbers, p, word, done)
  do round = 1, 8
    x = -1; numbers = 0; word = ''; done = .false.
    p = packet(0, 0d0, '')
    !$omp single
    x = round * 0.5d0
    do i = 1, 2000
      numbers(i) = i * round
    end do
    p%number = round
    p%values = round * 2
    p%name = 'packet'
    word = 'a word'
    done = .true.
    !$omp end single copyprivate(x, numbers, p, word, done)
    call expect(x == round * 0.5d0 .and. done .and. word == 'a word', 'copyprivate of a scalar.')
    call expect(numbers(1) == round .and. numbers(2000) == 2000 * round, 'copyprivate of an array.')
    call expect(p%number == round .and. all(p%values == round * 2) .and. p%name == 'packet', &
                'copyprivate of a derived type.')
  end do
  !$omp end parallel
  print '(a)', 'ok'

contains

  subroutine expect(condition, sentence)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: sentence
    if (condition) return
    write (0, '(2a)') 'f_threadprivate, wrong: ', sentence
    stop 1
  end subroutine expect
end program f_threadprivate
