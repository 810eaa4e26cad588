// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers for the compiler alone: `asm volatile("" ::: "memory")`, and atomic_signal_fence. On the
// processors that Weft runs on, a relaxed operation beside one orders as release and acquire do,
// and programs written for them hand data over so. Between nodes only an operation's own order
// orders.
#pragma once

#include <llvm/IR/Instruction.h>

namespace weft::pass {

// Whether such a barrier comes before the operation or behind it, on some way through the function,
// with no other atomic operation or fence in between.
[[nodiscard]] bool is_beside_compiler_barrier(const llvm::Instruction& operation);

}  // namespace weft::pass
