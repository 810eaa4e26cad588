! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Fortran reductions of whole arrays, static and allocatable, of several ranks and types, beside
! scalars, with and without a wait, and on sections.

program f_reduction_arrays
  use omp_lib
  implicit none
  integer, parameter :: n = 600
  real(8) :: fixed(10), plane(6, 7)
  real(4), allocatable :: large(:)
  integer(8), allocatable :: cube(:, :, :)
  complex(8) :: z
  logical :: all_of, any_of, same
  integer :: i, bits, parity, least, most, round
  integer :: several(3)

  allocate (large(50000), cube(-1:1, 4, 5))
  do round = 1, 3
    fixed = 1
    plane = 0
    large = 2
    cube = 0
    z = (1, -1)
    !$omp parallel do reduction(+: fixed, plane, large, cube, z) schedule(dynamic, 7)
    do i = 1, n
      fixed(mod(i, 10) + 1) = fixed(mod(i, 10) + 1) + 1
      plane(mod(i, 6) + 1, mod(i, 7) + 1) = plane(mod(i, 6) + 1, mod(i, 7) + 1) + i
      large(i * 80) = large(i * 80) + i
      cube(mod(i, 3) - 1, 2, 3) = cube(mod(i, 3) - 1, 2, 3) + 1
      z = z + cmplx(i, 2*i, 8)
    end do
    call check(all(fixed == 61), 'fixed array')
    call check(sum(plane) == n*(n + 1)/2, 'plane')
    call check(large(80) == 3 .and. large(48000) == 602 .and. large(81) == 2, 'large array')
    call check(sum(cube) == n .and. all(cube(:, 2, 3) == n/3), 'cube')
    call check(z == cmplx(1 + n*(n + 1)/2, n*(n + 1) - 1, 8), 'complex sum')

    all_of = .true.
    any_of = .false.
    same = .true.
    bits = 0
    parity = 0
    least = huge(least)
    most = -huge(most)
    several = 0
    !$omp parallel
    !$omp do reduction(.and.: all_of) reduction(.or.: any_of) reduction(.eqv.: same) &
    !$omp& reduction(ior: bits) reduction(ieor: parity)
    do i = 1, n
      all_of = all_of .and. i > 0
      any_of = any_of .or. i == 77
      same = same .eqv. mod(i, 2) == 0
      bits = ior(bits, ishft(1, mod(i, 30)))
      parity = ieor(parity, i)
    end do
    !$omp end do
    call check(bits == 2**30 - 1, 'bits behind the loop')
    !$omp do reduction(min: least) reduction(max: most) reduction(+: several)
    do i = 1, n
      least = min(least, mod(i*17, 601))
      most = max(most, mod(i*17, 601))
      several = several + [1, i, 2*i]
    end do
    !$omp end do nowait
    !$omp end parallel
    call check(all_of .and. any_of .and. same, 'logical')
    call check(parity == 600, 'parity')
    call check(least == 1 .and. most == 600, 'extremes')
    call check(all(several == [n, n*(n + 1)/2, n*(n + 1)]), 'several')

    bits = 0
    !$omp parallel sections reduction(+: bits)
    !$omp section
    bits = bits + 1
    !$omp section
    bits = bits + 10
    !$omp end parallel sections
    call check(bits == 11, 'sections')
  end do
  print '(a)', 'ok'
contains
  subroutine check(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (holds) return
    print '(a, a)', 'wrong: ', what
    error stop 1
  end subroutine
end program f_reduction_arrays
