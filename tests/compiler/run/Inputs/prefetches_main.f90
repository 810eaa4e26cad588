! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
!
! Runs each form in both ways.
program main
  use, intrinsic :: iso_c_binding
  implicit none
  interface
    real(8) function described(a, n)
      real(8) :: a(:, :)
      integer :: n
    end function
    real(8) function says_described(a, n)
      real(8) :: a(:, :)
      integer :: n
    end function
    type(c_ptr) function whole_memory() bind(c)
      import c_ptr
    end function
  end interface
  real(8), external :: upwards, says_upwards, downwards, says_downwards, columns, says_columns
  real(8), external :: padded, says_padded, blocks, says_blocks, stencil, says_stencil
  real(8), external :: collapsed, says_collapsed, planes, says_planes
  real(8), pointer, contiguous :: memory(:), rows(:, :)
  real(8) :: sum
  call c_f_pointer(whole_memory(), memory, [65536])
  rows(1:600, 1:100) => memory
  sum = 0
  call begins()
  sum = sum + upwards(memory, 60000) + says_upwards(memory, 60000)
  call ends(c_char_"upwards"//c_null_char, 0)
  call begins()
  sum = sum + downwards(memory, 60000) + says_downwards(memory, 60000)
  call ends(c_char_"downwards"//c_null_char, 0)
  call begins()
  sum = sum + columns(memory, 600, 200, 100) + says_columns(memory, 600, 200, 100)
  call ends(c_char_"columns"//c_null_char, 0)
  call begins()
  sum = sum + padded(memory, 48, 40, 30) + says_padded(memory, 48, 40, 30)
  call ends(c_char_"padded"//c_null_char, 0)
  call begins()
  sum = sum + blocks(memory, 256, 60, 4, 20) + says_blocks(memory, 256, 60, 4, 20)
  call ends(c_char_"blocks"//c_null_char, 0)
  call begins()
  sum = sum + described(rows(101:, 1:100:2), 150) + says_described(rows(101:, 1:100:2), 150)
  call ends(c_char_"described"//c_null_char, 0)
  call begins()
  sum = sum + stencil(memory, 600, 500, 100) + says_stencil(memory, 600, 500, 100)
  call ends(c_char_"stencil"//c_null_char, 4)
  call begins()
  sum = sum + planes(memory, 300, 200) + says_planes(memory, 300, 200)
  call ends(c_char_"planes"//c_null_char, 0)
  !$omp parallel num_threads(3) reduction(+:sum)
  call begins()
  sum = sum + collapsed(memory, 100, 90, 40, 16) + says_collapsed(memory, 100, 90, 40, 16)
  call ends(c_char_"collapsed"//c_null_char, 80 * 90)
  !$omp end parallel
  if (sum > -1) call done()
end program

subroutine changes(scratch, n, block)
  integer :: n, block
  real(8) :: scratch(20, 300)
  scratch(1:block, 1:n) = scratch(1:block, 1:n) + 1
end subroutine
