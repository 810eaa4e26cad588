// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Says before loops and copies which memory they overwrite whole, so that nobody fetches it first
// (docs/internals/ranges.md has the rules and why they are right).
//
// It runs before vectorisation: loops have their simplest form, loops that are copies have become
// copies, and a record's parts are stores of their own.
//
// Rejected: to run last, where vectorised loops have several bodies and remainders; and to declare
// each row of a nest, which for rows of less than some pages is nothing.
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

class RangesPass : public llvm::PassInfoMixin<RangesPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Function& function,
                                     llvm::FunctionAnalysisManager& analyses);
};

}  // namespace weft::pass
