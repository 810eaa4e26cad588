// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <llvm/ADT/SCCIterator.h>
#include <llvm/Analysis/CallGraph.h>
#include <llvm/Analysis/GlobalsModRef.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include "compiler/pass/prefetches/prefetches.hpp"
#include "compiler/pass/ranges/ranges.hpp"

namespace weft::pass {

llvm::PreservedAnalyses LoopsPass::run(llvm::Module& module,
                                       llvm::ModuleAnalysisManager& analyses) {
  auto& of_functions =
      analyses.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  Callees callees;
  llvm::FunctionPassManager passes;
  passes.addPass(llvm::LoopSimplifyPass());
  passes.addPass(RangesPass());
  passes.addPass(PrefetchesPass(callees));
  llvm::CallGraph graph(module);
  for (auto circle = llvm::scc_begin(&graph); !circle.isAtEnd(); ++circle) {
    for (const llvm::CallGraphNode* node : *circle) {
      llvm::Function* function = node->getFunction();
      if (function == nullptr || function->isDeclaration()) continue;
      if (circle.hasCycle()) callees.note_recursive(*function);
      of_functions.invalidate(*function, passes.run(*function, of_functions));
    }
  }
  callees.remove();
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::AllAnalysesOn<llvm::Function>>();
  preserved.preserve<llvm::FunctionAnalysisManagerModuleProxy>();
  preserved.preserve<llvm::GlobalsAA>();  // accesses of the program are as they were
  return preserved;
}

}  // namespace weft::pass
