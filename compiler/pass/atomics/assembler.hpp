// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Makes atomic instructions in inline assembler atomic across nodes. Where a statement has one, and
// there are threads on other nodes, the whole statement is a function of the word in memory:
//
//     do { old = atomic load(word); copy = old; the statement, on the copy }
//     while (compare and swap(word, old, copy) finds another value than `old`)
//
// A fence gets one of the compiler's beside it. The statement keeps its operands, its other
// instructions and what it returns, so there are no patterns to be recognised. AtomicsPass does the
// rest. What cannot be run again so (jumps, other memory that is changed, two words) is left as it
// is, and a warning says so (-Winline-asm).
//
// Rejected: LLVM's atomicrmw for each instruction. A statement has others beside it, which use its
// flags and registers.
class AssemblerPass : public llvm::PassInfoMixin<AssemblerPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
