// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How large the program's stacks are to be.
#pragma once

#include <cstddef>

namespace weft {

// In bytes: what the system allows (ulimit -s), what OMP_STACKSIZE asks for, or 8 MiB, whichever is
// most. SIZE_MAX / 2 if the system sets no limit.
[[nodiscard]] std::size_t stack_bytes();

}  // namespace weft
