! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
function half_of(x) bind(c, name="half_of")
  use iso_c_binding
  real(c_double), value :: x
  real(c_double) :: half_of
  half_of = x / 2
end function
