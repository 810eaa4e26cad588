// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// System calls without the C library's functions, which the program could have defined
// (own_calls.hpp).
#pragma once

namespace weft {

// What the kernel returns: a negative errno if it refuses.
inline long call_system(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                        long f = 0) {
  register long fourth asm("r10") = d;
  register long fifth asm("r8") = e;
  register long sixth asm("r9") = f;
  asm volatile("syscall"
               : "+a"(number)
               : "D"(a), "S"(b), "d"(c), "r"(fourth), "r"(fifth), "r"(sixth)
               : "rcx", "r11", "memory");
  return number;
}

}  // namespace weft
