// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading a clock: what programs do most of all calls that the kernel could answer.
#pragma once

#include <cerrno>
#include <ctime>

#include "libc/interposition/interpose.hpp"
#include "libc/interposition/io_bounce.hpp"

namespace weft::libc {

// As clock_gettime. The vDSO answers for most clocks in user mode, where `out` may lie in any
// memory. Only where the kernel had to write there, and could not, it is asked by way of private
// memory.
inline int read_clock(clockid_t clock, timespec* out) {
  const int before = errno;
  const int result = WEFT_REAL(clock_gettime)(clock, out);
  if (result == 0 || errno != EFAULT) return result;
  errno = before;
  return call(WEFT_REAL(clock_gettime), clock, memory(out));
}

}  // namespace weft::libc
