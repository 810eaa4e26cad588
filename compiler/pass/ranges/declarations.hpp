// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The declaration that a range is about to be overwritten whole, in the program's code.
//
// While optimisations are under way it is one call without control flow, as a branch before a loop
// hides from them which comparisons hold in it. DeclarationsPass replaces it at the end by
//
//     if (__weft_spans_nodes != 0 && bytes >= fewest_bytes() && holds) __weft_overwrite(first,
//     bytes);
//
// and computes behind the first test whatever nobody else needs.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Fewer bytes are not worth a call: 8 pages. Tests of small programs have all said
// (WEFT_FEWEST_BYTES).
[[nodiscard]] unsigned fewest_bytes();

// `writers` are the instructions that do it.
void put_declaration(llvm::IRBuilder<>& builder, llvm::Value* first, llvm::Value* bytes,
                     llvm::Value* holds, llvm::ArrayRef<llvm::Instruction*> writers);

class DeclarationsPass : public llvm::PassInfoMixin<DeclarationsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
