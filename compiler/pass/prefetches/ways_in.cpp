// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/ways_in.hpp"

namespace weft::pass {

std::optional<llvm::SmallVector<llvm::Value*, 2>> WaysIn::conditions(
    const llvm::BasicBlock& block) {
  llvm::SmallVector<llvm::Value*, 2> found;
  for (const auto* node = dominators_.getNode(&block)->getIDom(); node != nullptr;
       node = node->getIDom()) {
    const llvm::Instruction* end = node->getBlock()->getTerminator();
    // A loop ends at some time.
    if (loops_.getLoopFor(node->getBlock()) != nullptr) continue;
    if (const auto* branch = llvm::dyn_cast<llvm::BranchInst>(end)) {
      if (branch->isConditional()) found.push_back(branch->getCondition());
    } else if (!llvm::isa<llvm::InvokeInst>(end)) {
      return std::nullopt;
    }
  }
  return found;
}

bool WaysIn::is_certain(const llvm::BasicBlock& block, const llvm::Loop* loop) {
  const llvm::BasicBlock& entry = block.getParent()->getEntryBlock();
  const llvm::BasicBlock* at = &block;
  while (!post_dominators_.dominates(at, &entry)) {
    const llvm::BasicBlock* above = at->getSinglePredecessor();
    if (above == nullptr || loop == nullptr) return false;
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (branch == nullptr) return false;
    if (branch->isConditional() &&
        !guards_.only_guards(*branch->getCondition(), branch->getSuccessor(0) == at, *loop,
                             *loop)) {
      return false;
    }
    at = above;
  }
  return true;
}

}  // namespace weft::pass
