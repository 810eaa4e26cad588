// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace weft {

// Whether the instruction is the call of a program part's function (stacks.hpp), whose frame is the
// lowest one of a program stack.
[[nodiscard]] bool is_begin_of_program_part(std::uintptr_t instruction);

}  // namespace weft
