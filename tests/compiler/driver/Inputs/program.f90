! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program program
  use table
  integer :: i
  real(8) :: total
  total = 0
  call fill(1000)
  !$omp parallel do reduction(+:total)
  do i = 1, size(values)
    total = total + values(i)
  end do
  print '(f0.1)', total
end program
