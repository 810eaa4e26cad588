// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <time.h>

#include <cstdint>

namespace weft::pthread {

// The arguments of syscall(SYS_futex, ...).
struct FutexCall {
  void* word;
  int operation;
  std::uint32_t value;
  long detail;  // a pointer to a time, or how many are moved
  void* second;
  std::uint32_t third;
};

// Such a call of the program: returns what it returns, and sets errno.
long futex(const FutexCall& call);

// False: calls on several futexes at once (futex_waitv) are the kernel's. Else there are none, and
// `result` and errno say so.
[[nodiscard]] bool refuses_several_futexes(long& result);

}  // namespace weft::pthread
