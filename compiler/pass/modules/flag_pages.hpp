// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Puts variables that are loaded atomically, or are volatile, on pages of their own: a module's
// flags together, and nothing else there. Each store of a flag takes its page from the nodes that
// have copies. If other data lay there, who sees the flag would have to fetch them each time.
// Before AtomicsPass, which replaces the loads. Costs less than three pages of address space for
// each module with flags.
class FlagPagesPass : public llvm::PassInfoMixin<FlagPagesPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
