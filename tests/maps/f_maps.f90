! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! mmap and munmap called from Fortran.
program f_maps
  use, intrinsic :: iso_c_binding
  use omp_lib
  implicit none
  interface
    function c_mmap(address, bytes, protection, flags, file, place) bind(c, name="mmap") result(p)
      import :: c_ptr, c_size_t, c_int, c_long
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
      integer(c_int), value :: protection, flags, file
      integer(c_long), value :: place
      type(c_ptr) :: p
    end function
    function c_munmap(address, bytes) bind(c, name="munmap") result(status)
      import :: c_ptr, c_size_t, c_int
      type(c_ptr), value :: address
      integer(c_size_t), value :: bytes
      integer(c_int) :: status
    end function
  end interface
  integer, parameter :: n = 100000
  real(c_double), pointer :: a(:)
  type(c_ptr) :: p
  integer :: i, round
  do round = 1, 3
    p = c_mmap(c_null_ptr, int(8 * n, c_size_t), 3, 34, -1, 0_c_long)
    call c_f_pointer(p, a, [n])
    if (any(a /= 0.0d0)) error stop "The map is not zero."
    !$omp parallel do
    do i = 1, n
      a(i) = i * 0.5d0 * round
    end do
    if (sum(a) /= round * 0.25d0 * n * (n + 1.0d0)) error stop "The sum is wrong."
    if (c_munmap(p, int(8 * n, c_size_t)) /= 0) error stop "munmap failed."
  end do
  print '(a)', "ok"
end program
