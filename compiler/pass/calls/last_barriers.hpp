// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Tells the runtime which barriers of constructs are followed by nothing but their region's end
// (src/openmp/libomp/call_note.hpp), which is a barrier itself. Runs after ReductionsPass, on what
// the front end has written.
class LastBarriersPass : public llvm::PassInfoMixin<LastBarriersPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
