// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A system call that the program makes by syscall(), with all arguments it may have.
#pragma once

#include <cstddef>

namespace weft {

struct SystemCall {
  long number, a, b, c, d, e, f;
};

// Those that hand the program's memory or descriptors to the kernel, and of which the C library has
// a function with the same arguments and the same result: made by that, which finds pages that are
// not here and descriptors of other nodes. False: it is none of them.
[[nodiscard]] bool call_function(const SystemCall& call, long& result);

// An argument, as functions want it.
template <typename T = void>
T* pointer(long argument) {
  return reinterpret_cast<T*>(argument);
}
inline int number(long argument) { return static_cast<int>(argument); }
inline std::size_t bytes(long argument) { return static_cast<std::size_t>(argument); }

}  // namespace weft
