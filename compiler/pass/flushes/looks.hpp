// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop looks at before it ends.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>

#include <set>

#include "compiler/pass/flushes/places.hpp"

namespace weft::pass {

// Follows what a condition in a loop is computed from, until it comes to memory that other threads
// may write. The front end's local variables are followed through; they are in memory, too.
class Looks {
 public:
  Looks(const llvm::Loop& loop, const llvm::DominatorTree& dominators, std::set<Place>& places)
      : loop_(loop), dominators_(dominators), places_(places) {}

  // Adds what is looked at to the places; a call may look at anything.
  [[nodiscard]] bool depend_on_memory(const llvm::Value* condition);
  // Whether each look that was found is atomic and acquires, by itself or by a flush behind it.
  [[nodiscard]] bool all_acquire() const { return all_acquire_; }

 private:
  [[nodiscard]] bool looks_at(const llvm::Instruction& look, const llvm::Value* pointer);
  [[nodiscard]] bool follow_variable(const llvm::Instruction& variable);
  [[nodiscard]] bool is_conditional(const llvm::Instruction& instruction) const;
  [[nodiscard]] bool any_condition_depends();

  const llvm::Loop& loop_;
  const llvm::DominatorTree& dominators_;
  std::set<Place>& places_;
  llvm::SmallPtrSet<const llvm::Value*, 16> seen_;
  bool all_acquire_ = true;
};

}  // namespace weft::pass
