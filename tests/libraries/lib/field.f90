! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! A Fortran library: module and saved variables, a common block, regions, threadprivate, output.
module field
  implicit none
  integer, parameter :: cells = 5000
  real(8) :: values(cells) = 1.5d0
  real(8), allocatable :: more(:)
  integer :: mine = 4
  !$omp threadprivate(mine)
contains
  subroutine fill(offset)
    real(8), intent(in) :: offset
    integer :: i
    if (.not. allocated(more)) allocate(more(cells))
    !$omp parallel do
    do i = 1, cells
      values(i) = values(i) + offset
      more(i) = i
    end do
  end subroutine

  integer function calls()
    integer, save :: count = 0
    !$omp critical (counting)
    count = count + 1
    calls = count
    !$omp end critical (counting)
  end function

  subroutine add_to_common(amount)
    integer, intent(in) :: amount
    integer :: shared_by_name(100)
    common /both/ shared_by_name
    shared_by_name(amount) = shared_by_name(amount) + amount
  end subroutine

  subroutine say(text)
    character(*), intent(in) :: text
    character(40) :: line
    write (line, '(a,i0)') text, cells
    print '(a)', trim(line)
  end subroutine
end module
