// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Objects with OpenMP that weftcc did not compile. Linked with weftcc's they would be a part of the
// program, and their regions would span nodes; but the compiler has put the processor's atomic
// instructions into them, which lose updates between nodes. So they are refused.
#pragma once

#include <string>

#include "compiler/linker/input_files.hpp"

namespace weft::linker {

// What is wrong with the first such object, and what to do; empty: nothing.
[[nodiscard]] std::string complaint_about(const LinkCommand& command);

}  // namespace weft::linker
