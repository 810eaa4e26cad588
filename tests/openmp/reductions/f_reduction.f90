! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Reductions in Fortran: every operator and intrinsic, scalars and arrays, kinds, and declared ones.

module moments
  implicit none
  type :: moment
    real(8) :: sum = 0, squares = 0
    integer :: count = 0
  end type moment
contains
  type(moment) function merged(a, b)
    type(moment), intent(in) :: a, b
    merged = moment(a%sum + b%sum, a%squares + b%squares, a%count + b%count)
  end function merged
end module moments

program f_reduction
  use moments
  implicit none
  integer :: i, total, product_of, least, greatest, bits_and, bits_or, bits_xor
  integer(8) :: wide
  real(4) :: single_sum
  real(8) :: double_sum, largest
  complex(8) :: turn
  logical :: all_of, any_of, same, differ
  integer :: bins(0:9)
  real(8) :: grid(30, 40)
  type(moment) :: m
  ! Flang 22 does not find a declared reduction through a use statement.
  !$omp declare reduction(merge: moment: omp_out = merged(omp_out, omp_in)) &
  !$omp& initializer(omp_priv = moment(0d0, 0d0, 0))

  total = 100; product_of = 1; least = 1000; greatest = -1000
  bits_and = not(0); bits_or = 0; bits_xor = 0
  !$omp parallel do reduction(+: total) reduction(*: product_of) reduction(min: least) &
  !$omp& reduction(max: greatest) reduction(iand: bits_and) reduction(ior: bits_or) &
  !$omp& reduction(ieor: bits_xor) schedule(dynamic, 3)
  do i = 1, 60
    total = total + i
    if (mod(i, 10) == 0) product_of = product_of * 2
    least = min(least, mod(i * 37, 61) + 5)
    greatest = max(greatest, mod(i * 37, 61))
    if (i < 30) bits_and = iand(bits_and, not(ishft(1, i)))
    if (i < 30) bits_or = ior(bits_or, ishft(1, i))
    if (i < 30) bits_xor = ieor(bits_xor, ishft(1, i))
  end do
  !$omp end parallel do
  call expect(total == 1930 .and. product_of == 64, 'The sum or the product is wrong.')
  call expect(least == 6 .and. greatest == 60, 'An extreme is wrong.')
  call expect(bits_or == 2**30 - 2 .and. bits_xor == bits_or .and. bits_and == not(bits_or), &
              'The bits are wrong.')

  wide = 0; single_sum = 0; double_sum = 0.5d0; largest = -huge(largest); turn = (1d0, 1d0)
  all_of = .true.; any_of = .false.; same = .true.; differ = .false.
  !$omp parallel
  !$omp do reduction(+: wide, single_sum, double_sum, turn) reduction(max: largest) &
  !$omp& reduction(.and.: all_of) reduction(.or.: any_of) reduction(.eqv.: same) &
  !$omp& reduction(.neqv.: differ)
  do i = 1, 80
    wide = wide + int(i, 8) * 10000000000_8
    single_sum = single_sum + 0.5
    double_sum = double_sum + i * 0.25d0
    turn = turn + cmplx(i, -i, 8)
    largest = max(largest, sin(dble(i)) * 0 + i)
    all_of = all_of .and. i > 0
    any_of = any_of .or. i == 33
    same = same .eqv. .true.
    differ = differ .neqv. (i <= 3)
  end do
  !$omp end do
  !$omp end parallel
  call expect(wide == 32400000000000_8 .and. single_sum == 40.0, 'A sum is wrong.')
  call expect(double_sum == 810.5d0 .and. largest == 80, 'A double is wrong.')
  call expect(turn == (3241d0, -3239d0), 'The complex sum is wrong.')
  call expect(all_of .and. any_of .and. same .and. differ, 'A logical is wrong.')

  bins = 1
  grid = 0
  !$omp parallel do reduction(+: bins, grid) schedule(static, 2)
  do i = 1, 1200
    bins(mod(i, 10)) = bins(mod(i, 10)) + 1
    grid(mod(i - 1, 30) + 1, (i - 1) / 30 + 1) = grid(mod(i - 1, 30) + 1, (i - 1) / 30 + 1) + i
  end do
  !$omp end parallel do
  call expect(all(bins == 121), 'The bins are wrong.')
  call expect(grid(1, 1) == 1 .and. grid(30, 40) == 1200 .and. sum(grid) == 720600, &
              'The grid is wrong.')

  !$omp parallel do reduction(merge: m)
  do i = 1, 100
    m = merged(m, moment(dble(i), dble(i) * i, 1))
  end do
  !$omp end parallel do
  call expect(m%sum == 5050 .and. m%squares == 338350 .and. m%count == 100, &
              'The declared reduction is wrong.')
  print '(a)', 'ok'

contains

  subroutine expect(condition, sentence)
    logical, intent(in) :: condition
    character(len=*), intent(in) :: sentence
    if (condition) return
    write (0, '(2a)') 'f_reduction: ', sentence
    stop 1
  end subroutine expect
end program f_reduction
