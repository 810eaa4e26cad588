// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How control comes from the beginning of a function to a place in it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include <optional>

#include "compiler/pass/prefetches/guards.hpp"

namespace weft::pass {

class WaysIn {
 public:
  WaysIn(const llvm::DominatorTree& dominators, const llvm::PostDominatorTree& post_dominators,
         const llvm::LoopInfo& loops, Guards guards)
      : dominators_(dominators),
        post_dominators_(post_dominators),
        loops_(loops),
        guards_(guards) {}

  // Conditions of all branches on the way, whatever they must be. Nothing if there are other
  // branches than by a condition.
  std::optional<llvm::SmallVector<llvm::Value*, 2>> conditions(const llvm::BasicBlock& block);

  // Whether each call of the function comes there, if calls return. `loop` (null: none) begins
  // there, and where it, or one in it, has no iterations, control need not come.
  bool is_certain(const llvm::BasicBlock& block, const llvm::Loop* loop);

 private:
  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
  const llvm::LoopInfo& loops_;
  Guards guards_;
};

}  // namespace weft::pass
