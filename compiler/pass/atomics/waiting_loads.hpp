// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads of threads that wait: in loops which do nothing but look, such as
//
//     while (atomic_load(&flag) == 0) {}
//
// From the second turn on such a load may take as long as the value stays. Other loops that look
// again and again have something else to do, or a number of turns: for them no load may take long.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instructions.h>

#include <map>

namespace weft::pass {

class WaitingLoads {
 public:
  explicit WaitingLoads(llvm::Function& function) : dominators_(function), loops_(dominators_) {}

  // Before anything is changed: the load will be replaced.
  void note(llvm::LoadInst& load);
  // What is to be added to the load's order, or null.
  [[nodiscard]] llvm::Value* mark_of(const llvm::LoadInst& load) const;

 private:
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  std::map<const llvm::Loop*, llvm::PHINode*> in_later_turns_;  // null: of other loops
  std::map<const llvm::LoadInst*, llvm::PHINode*> marks_;
};

}  // namespace weft::pass
