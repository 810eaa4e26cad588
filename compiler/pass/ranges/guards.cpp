// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/guards.hpp"

#include <llvm/IR/Instructions.h>

namespace weft::pass {

bool runs_each_time(const llvm::BasicBlock& block, const llvm::Loop& loop,
                    const llvm::Loop& outermost, const llvm::DominatorTree& dominators,
                    llvm::SmallVectorImpl<Guard>& guards) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr || latch != loop.getExitingBlock()) return false;
  const llvm::BasicBlock* at = &block;
  while (!dominators.dominates(at, latch)) {
    const llvm::BasicBlock* before = at->getSinglePredecessor();
    if (before == nullptr || !loop.contains(before)) return false;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(before->getTerminator());
    if (branch == nullptr) return false;
    if (branch->isConditional()) {
      if (!outermost.isLoopInvariant(branch->getCondition())) return false;
      guards.push_back({branch->getCondition(), branch->getSuccessor(0) == at});
    }
    at = before;
  }
  return true;
}

}  // namespace weft::pass
