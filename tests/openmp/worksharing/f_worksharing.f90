! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Loops under each schedule with bounds and strides, sections, single, workshare, ordered,
! lastprivate and collapse in Fortran.

program f_worksharing
  use omp_lib
  implicit none
  integer, parameter :: n = 500
  integer :: runs(-n:n), i, j, last, section_sum, singles, order(n), ordered_count, x
  integer(8) :: wide, wide_count
  real(8) :: a(n), b(n), c(20, 30)

  runs = 0
  !$omp parallel do schedule(static)
  do i = -n, n
    runs(i) = runs(i) + 1
  end do
  !$omp end parallel do
  !$omp parallel do schedule(static, 3)
  do i = n, -n, -1
    runs(i) = runs(i) + 1
  end do
  !$omp end parallel do
  !$omp parallel do schedule(dynamic, 5)
  do i = -n, n, 2
    runs(i) = runs(i) + 1
  end do
  !$omp end parallel do
  !$omp parallel do schedule(guided)
  do i = n - 1, -n + 1, -2
    runs(i) = runs(i) + 1
  end do
  !$omp end parallel do
  call omp_set_schedule(omp_sched_dynamic, 4)
  !$omp parallel do schedule(runtime)
  do i = -n, n
    runs(i) = runs(i) + 1
  end do
  !$omp end parallel do
  !$omp parallel do
  do i = 10, 1
    runs(i) = runs(i) + 1000
  end do
  !$omp end parallel do
  call expect(all(runs == 4), 'An iteration did not run once in each loop.')

  wide_count = 0
  !$omp parallel do reduction(+: wide_count) schedule(dynamic)
  do wide = 5000000000_8, -5000000000_8, -100000000_8
    wide_count = wide_count + 1
  end do
  !$omp end parallel do
  call expect(wide_count == 101, 'The 64-bit loop has another number of iterations.')

  !$omp parallel do lastprivate(last) schedule(static, 7)
  do i = 1, 333
    last = 3 * i
  end do
  !$omp end parallel do
  call expect(last == 999, 'lastprivate is wrong.')

  c = 0
  !$omp parallel do collapse(2) private(x)
  do i = 1, 20
    do j = 1, 30
      x = i * 100 + j
      c(i, j) = c(i, j) + x
    end do
  end do
  !$omp end parallel do
  call expect(sum(c) == 20d0 * 30 * (1050 + 15.5d0), 'The collapsed loop is wrong.')

  ordered_count = 0
  !$omp parallel do ordered schedule(dynamic, 2)
  do i = 1, 100
    !$omp ordered
    ordered_count = ordered_count + 1
    order(ordered_count) = i
    !$omp end ordered
  end do
  !$omp end parallel do
  call expect(all(order(1:100) == [(i, i=1, 100)]), 'The ordered loop was out of order.')

  section_sum = 0
  singles = 0
  !$omp parallel
  !$omp sections reduction(+: section_sum)
  section_sum = section_sum + 1
  !$omp section
  section_sum = section_sum + 10
  !$omp section
  section_sum = section_sum + 100
  !$omp end sections
  !$omp single
  singles = singles + 1
  !$omp end single
  !$omp workshare
  a = 2
  b(:) = a(:) * 3 + 1
  where (b > 6) b = b + 1
  !$omp end workshare
  !$omp end parallel
  call expect(section_sum == 111 .and. singles == 1, 'Sections or single are wrong.')
  call expect(all(a == 2) .and. all(b == 8), 'The workshare is wrong.')
  print '(a)', 'ok'

contains

  subroutine expect(condition, sentence)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: sentence
    if (condition) return
    write (0, '(2a)') 'f_worksharing: ', sentence
    stop 1
  end subroutine expect
end program f_worksharing
