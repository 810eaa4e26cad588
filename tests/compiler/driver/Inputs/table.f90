! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
module table
  real(8), allocatable :: values(:)
contains
  subroutine fill(n)
    integer, intent(in) :: n
    allocate(values(n))
    values = 0.5d0
  end subroutine
end module
