// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Puts calls of __weft_fortran_begin and __weft_fortran_end (base/compiler_abi.h) around what uses
// the state of flang's runtime library: input and output statements, and random numbers. Without a
// test in front: such a statement costs a hundred times a call.
class FortranPass : public llvm::PassInfoMixin<FortranPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
