// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands around a call of an OpenMP entry point, as the front ends have written it.
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

// The same of the thread that comes from a barrier.
[[nodiscard]] bool ends_region(const llvm::CallInst& barrier);

// Whether a thread that does not execute this single region goes from the call to a barrier, or to
// the end of its parallel region, and does nothing on the way that others could notice.
[[nodiscard]] bool waits_behind(const llvm::CallInst& single);

// Whether it is a call of the function of this name.
[[nodiscard]] bool is_call_of(const llvm::Instruction& instruction, llvm::StringRef name);

}  // namespace weft::pass
