// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Fences that passes add before the optimisations, for AtomicsPass to replace: their
// synchronisation scope says what they are for, which no optimisation takes for another. On one
// node they become fences that order nothing beyond what the processor does anyway.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

namespace weft::pass {

enum class FenceMark {
  kNone,      // the program's own
  kPolled,    // a poll has ended (polls.hpp)
  kOriginal,  // what a reduction adds to is written (originals.hpp)
};

void put_fence(llvm::IRBuilder<>& builder, FenceMark mark);
[[nodiscard]] FenceMark mark_of(const llvm::FenceInst& fence);

}  // namespace weft::pass
