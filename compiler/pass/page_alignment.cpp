// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/page_alignment.hpp"

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

#include "base/ids.hpp"

namespace weft::pass {
namespace {

// Only what is certain to be this module's own: of several definitions of one inline variable the
// linker takes any. Of common ones it takes the strictest alignment. What has a section of its own
// is laid out by whoever named it.
bool may_be_placed(const llvm::GlobalVariable& variable) {
  return (variable.isStrongDefinitionForLinker() || variable.hasCommonLinkage()) &&
         !variable.isDeclaration() && !variable.isConstant() && !variable.isThreadLocal() &&
         !variable.hasSection() && !variable.hasComdat();
}

}  // namespace

llvm::PreservedAnalyses PageAlignmentPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!may_be_placed(variable)) continue;
    if (layout.getTypeAllocSize(variable.getValueType()) < kPageBytes) continue;
    const llvm::Align present = layout.getPreferredAlign(&variable);
    variable.setAlignment(std::max(present, llvm::Align(kPageBytes)));
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
