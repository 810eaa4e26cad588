// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands around a call of __kmpc_reduce or __kmpc_reduce_nowait.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

namespace weft::pass {

using Barriers = llvm::SmallVector<llvm::CallInst*, 2>;

// Barriers right before and after a waiting reduction, which has their effect itself.
[[nodiscard]] Barriers redundant_barriers(llvm::CallInst& reduce);

// Whether the thread that does not write the originals goes from the call to the end of its
// parallel region and does nothing on the way that others could notice, redundant barriers apart.
[[nodiscard]] bool ends_region(const llvm::CallInst& reduce, const Barriers& redundant);

// Whether it is a call of the function of this name.
[[nodiscard]] bool is_call_of(const llvm::Instruction& instruction, llvm::StringRef name);

}  // namespace weft::pass
