// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Blocks that run in each iteration of a loop, or in none: an inner loop that may have no
// iterations stands behind a branch, which says the same each time.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

namespace weft::pass {

// A condition that is the same while a loop runs, and what it must be.
struct Guard {
  llvm::Value* condition;
  bool expected;
};

// Whether the block runs in each iteration of `loop`, if all that is added to `guards` holds. The
// guards are the same as long as `outermost` runs. Of loops whose only exit is at their end.
bool runs_each_time(const llvm::BasicBlock& block, const llvm::Loop& loop,
                    const llvm::Loop& outermost, const llvm::DominatorTree& dominators,
                    llvm::SmallVectorImpl<Guard>& guards);

}  // namespace weft::pass
