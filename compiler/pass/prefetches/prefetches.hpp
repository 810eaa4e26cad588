// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says before loops which memory they will use, so that all of it is asked for at once, and no
// thread has to touch each page first (docs/internals/ranges.md).
//
// Source: AgHoist, MaxAgHoist and AgDiscard of Manoj, Manjunath and Govindarajan, "CAS-DSM".
#pragma once

#include <llvm/IR/PassManager.h>

#include "compiler/pass/prefetches/callees.hpp"

namespace weft::pass {

class PrefetchesPass : public llvm::PassInfoMixin<PrefetchesPass> {
 public:
  // `callees` has been told of the functions that are called, and is told of this one.
  explicit PrefetchesPass(Callees& callees) : callees_(callees) {}
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);

 private:
  Callees& callees_;
};

// Declares the ranges (ranges/ranges.hpp) and says the prefetches of all functions of a module, of
// each before those that call it.
class LoopsPass : public llvm::PassInfoMixin<LoopsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& analyses);
};

}  // namespace weft::pass
