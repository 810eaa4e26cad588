// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/modules/flag_pages.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/ids.hpp"
#include "compiler/pass/modules/placed_variables.hpp"

namespace weft::pass {
namespace {

// Linkers put it among other data that are zero at first.
constexpr const char* kSection = ".bss.weft_flags";

// PageAlignmentPass places those of a page or more. Common ones have no section.
bool may_have_a_section(const llvm::GlobalVariable& variable) {
  return may_be_placed(variable) && !variable.hasCommonLinkage() &&
         variable.getInitializer()->isNullValue() && size_of(variable) < kPageBytes;
}

llvm::SetVector<llvm::GlobalVariable*> flags_of(llvm::Module& module) {
  llvm::SetVector<llvm::GlobalVariable*> flags;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* const load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
      if (load == nullptr || !(load->isAtomic() || load->isVolatile())) continue;
      llvm::Value* const object = llvm::getUnderlyingObject(load->getPointerOperand(), 0);
      auto* const variable = llvm::dyn_cast<llvm::GlobalVariable>(object);
      if (variable != nullptr && may_have_a_section(*variable)) flags.insert(variable);
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
