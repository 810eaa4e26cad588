// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says before loops which memory they will use, so that all of it is asked for at once, and no
// thread has to touch each page first (docs/internals/ranges.md).
//
// Source: AgHoist, MaxAgHoist and AgDiscard of Manoj, Manjunath and Govindarajan, "CAS-DSM".
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

class PrefetchesPass : public llvm::PassInfoMixin<PrefetchesPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace weft::pass
