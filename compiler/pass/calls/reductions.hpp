// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Tells the runtime about each reduction what the compiler knows of it
// (src/openmp/libomp/call_note.hpp): the sizes of what is reduced, whether the region ends behind
// it, and which barriers beside it do nothing that it does not do. Runs before everything else, on
// what the front end has written.
class ReductionsPass : public llvm::PassInfoMixin<ReductionsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
