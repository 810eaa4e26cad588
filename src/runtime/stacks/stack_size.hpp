// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the program's stacks are to be.
#pragma once

#include <cstddef>
#include <string>

namespace weft {

// In bytes: what the system allows (ulimit -s), what OMP_STACKSIZE asks for, or 8 MiB, whichever is
// most. SIZE_MAX / 2 if the system sets no limit.
[[nodiscard]] std::size_t stack_bytes();

// Why the program has overflowed a stack of `given` bytes (0: none) that would be larger elsewhere;
// empty if it would not.
[[nodiscard]] std::string explain_overflow(std::size_t given);

}  // namespace weft
