// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// An object with thread-local variables asks the link for what gives them pages of their own
// (src/start/thread_locals.cpp). Not one that can only run with its variables in the little room
// that the dynamic linker keeps for libraries that are loaded late.
class ThreadLocalsPass : public llvm::PassInfoMixin<ThreadLocalsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
