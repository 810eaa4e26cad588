// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/calls/singles.hpp"

#include <llvm/IR/Module.h>

#include "compiler/pass/calls/call_notes.hpp"
#include "compiler/pass/calls/surroundings.hpp"

namespace weft::pass {

llvm::PreservedAnalyses SinglesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::CallInst* single : calls_of(module, "__kmpc_single")) {
    if (waits_behind(*single)) attach_note(*single, openmp::CallNote::kOthersWait);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
