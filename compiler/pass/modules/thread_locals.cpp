// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/modules/thread_locals.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace weft::pass {
namespace {

constexpr const char* kWanted = "weft_thread_local_pages";

bool is_defined_here(const llvm::GlobalVariable& variable) {
  return variable.isThreadLocal() && !variable.isDeclarationForLinker();
}

// In code for shared libraries the front ends choose a dynamic model, unless they are told not to.
bool needs_early_place(const llvm::GlobalVariable& variable) {
  const llvm::Module& module = *variable.getParent();
  return module.getPICLevel() != llvm::PICLevel::NotPIC &&
         module.getPIELevel() == llvm::PIELevel::Default &&
         variable.getThreadLocalMode() == llvm::GlobalVariable::InitialExecTLSModel;
}

// A pointer that nobody reads. (A relocation in assembler needs no room, but the linker does not
// see it in bitcode.)
void refer_to_wanted(llvm::Module& module) {
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  auto* wanted = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(kWanted, byte));
  wanted->setVisibility(llvm::GlobalValue::HiddenVisibility);
  auto* reference =
      new llvm::GlobalVariable(module, wanted->getType(), true, llvm::GlobalValue::InternalLinkage,
                               wanted, "__weft_thread_local_pages_wanted");
  llvm::appendToCompilerUsed(module, {reference});
}

}  // namespace

llvm::PreservedAnalyses ThreadLocalsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const auto variables = llvm::make_filter_range(module.globals(), is_defined_here);
  const bool is_there = module.getNamedGlobal(kWanted) != nullptr;  // bitcode may come twice
  if (!is_there && module.getTargetTriple().isOSBinFormatELF() && !variables.empty() &&
      llvm::none_of(variables, needs_early_place)) {
    refer_to_wanted(module);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
