// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Barriers for the compiler alone: `asm volatile("" ::: "memory")`, and atomic_signal_fence. On the
// processors that Weft runs on, a relaxed operation beside one orders as release and acquire do,
// and programs written for them hand data over so. Between nodes only an operation's own order
// orders.
#pragma once

#include <llvm/IR/Function.h>

namespace weft::pass {

[[nodiscard]] bool has_compiler_barrier(const llvm::Function& function);

}  // namespace weft::pass
