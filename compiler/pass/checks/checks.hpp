// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -fweft-check-ranges: calls that compare what loops do with the ranges that were said before them
// (docs/internals/ranges.md#the-checking-mode).
//
// It runs behind the passes that find the ranges, and before vectorisation, where each access is
// still one instruction. It takes from them which accesses a range is for, and nothing of why: a
// mistake of theirs is not repeated. Rejected: to check while ranges are placed, as the calls in
// loops would change what the next pass finds.
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

class ChecksPass : public llvm::PassInfoMixin<ChecksPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace weft::pass
