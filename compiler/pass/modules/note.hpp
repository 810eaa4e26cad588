// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Leaves an ELF note in the object (see base/compiler_abi.h), by which later checks tell that
// weftcc compiled it.
class NotePass : public llvm::PassInfoMixin<NotePass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
