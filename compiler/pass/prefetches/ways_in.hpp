// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How control comes from the beginning of a function to a place in it.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/PostDominators.h>
#include <llvm/IR/Dominators.h>

#include <optional>

#include "compiler/pass/prefetches/hints.hpp"

namespace weft::pass {

class WaysIn {
 public:
  WaysIn(const llvm::DominatorTree& dominators, const llvm::PostDominatorTree& post_dominators,
         const llvm::LoopInfo& loops, llvm::ScalarEvolution& evolution, Hints& hints)
      : dominators_(dominators),
        post_dominators_(post_dominators),
        loops_(loops),
        evolution_(evolution),
        hints_(hints) {}

  // Conditions of all branches on the way, whatever they must be. Nothing if there are other
  // branches than by a condition.
  std::optional<llvm::SmallVector<llvm::Value*, 2>> conditions(const llvm::BasicBlock& block);

  // Whether each call of the function comes there, if calls return. `loop` (null: none) begins
  // there, and where it, or one in it, has no iterations, control need not come.
  bool is_certain(const llvm::BasicBlock& block, const llvm::Loop* loop);

 private:
  bool only_guards(llvm::Value& condition, bool expected, const llvm::Loop& loop);
  bool is_guard(const llvm::ICmpInst& compared, bool expected, const llvm::Loop& loop,
                const llvm::Loop& outermost);
  const llvm::SCEV* way(const llvm::SCEV* left, const llvm::SCEV* right,
                        llvm::CmpInst::Predicate holds);

  const llvm::DominatorTree& dominators_;
  const llvm::PostDominatorTree& post_dominators_;
  const llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  Hints& hints_;
};

}  // namespace weft::pass
