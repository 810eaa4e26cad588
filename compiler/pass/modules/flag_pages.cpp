// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/modules/flag_pages.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/ids.hpp"

namespace weft::pass {
namespace {

// Linkers put it among other data that are zero at first.
constexpr const char* kSection = ".bss.weft_flags";

// As in PageAlignmentPass, which places those of a page or more. Common ones have no section.
bool may_be_placed(const llvm::GlobalVariable& variable) {
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  return variable.isStrongDefinitionForLinker() && !variable.isDeclaration() &&
         !variable.isConstant() && !variable.isThreadLocal() && !variable.hasSection() &&
         !variable.hasComdat() && variable.getInitializer()->isNullValue() &&
         layout.getTypeAllocSize(variable.getValueType()) < kPageBytes;
}

llvm::SetVector<llvm::GlobalVariable*> flags_of(llvm::Module& module) {
  llvm::SetVector<llvm::GlobalVariable*> flags;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !(load->isAtomic() || load->isVolatile())) continue;
      llvm::Value* const object = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
      auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
      if (variable != nullptr && may_be_placed(*variable)) flags.insert(variable);
    }
  }
  return flags;
}

// What follows the flags: the rest of their last page stays empty.
void add_end(llvm::Module& module) {
  auto* const type = llvm::ArrayType::get(llvm::Type::getInt8Ty(module.getContext()), kPageBytes);
  auto* const end =
      new llvm::GlobalVariable(module, type, false, llvm::GlobalValue::InternalLinkage,
                               llvm::ConstantAggregateZero::get(type), "weft.flags.end");
  end->setSection(kSection);
  end->setAlignment(llvm::Align(kPageBytes));
  llvm::appendToCompilerUsed(module, {end});
}

}  // namespace

llvm::PreservedAnalyses FlagPagesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::SetVector<llvm::GlobalVariable*> flags = flags_of(module);
  if (flags.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::GlobalVariable* const flag : flags) flag->setSection(kSection);
  add_end(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
