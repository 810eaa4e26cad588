// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Tells the runtime of which single regions the threads that do not execute them wait for the end
// (src/openmp/libomp/call_note.hpp): who executes those need not be agreed upon. Runs before
// everything else, on what the front end has written.
class SinglesPass : public llvm::PassInfoMixin<SinglesPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
