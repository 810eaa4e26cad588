// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The flushes that a program has written.
#pragma once

#include <llvm/IR/Instruction.h>

namespace weft::pass {

// One that acquires, or a call of a function that does nothing but to flush.
[[nodiscard]] bool flushes(const llvm::Instruction& instruction);

}  // namespace weft::pass
