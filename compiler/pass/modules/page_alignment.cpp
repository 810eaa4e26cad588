// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/modules/page_alignment.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>

#include "base/ids.hpp"
#include "compiler/pass/modules/placed_variables.hpp"

namespace weft::pass {
namespace {

// A variable is as long as its type, so it becomes the first member of a longer one. Linkers warn
// of common ones whose lengths differ.
void fill_last_page(llvm::GlobalVariable& variable) {
  const std::uint64_t rest = size_of(variable) % kPageBytes;
  if (rest == 0 || variable.hasCommonLinkage()) return;
  llvm::LLVMContext& context = variable.getContext();
  auto* const filler = llvm::ArrayType::get(llvm::Type::getInt8Ty(context), kPageBytes - rest);
  auto* const type = llvm::StructType::get(context, {variable.getValueType(), filler}, true);
  auto* const contents = llvm::ConstantStruct::get(
      type, {variable.getInitializer(), llvm::ConstantAggregateZero::get(filler)});
  auto* const longer =
      new llvm::GlobalVariable(*variable.getParent(), type, false, variable.getLinkage(), contents,
                               "", &variable, variable.getThreadLocalMode(),
                               variable.getAddressSpace(), variable.isExternallyInitialized());
  longer->copyAttributesFrom(&variable);
  longer->copyMetadata(&variable, 0);
  longer->takeName(&variable);
  variable.replaceAllUsesWith(longer);
  variable.eraseFromParent();
}

}  // namespace

llvm::PreservedAnalyses PageAlignmentPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const llvm::DataLayout& layout = module.getDataLayout();
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range(module.globals())) {
    if (!may_be_placed(variable) || size_of(variable) < kPageBytes) continue;
    const llvm::Align present = layout.getPreferredAlign(&variable);
    variable.setAlignment(std::max(present, llvm::Align(kPageBytes)));
    fill_last_page(variable);
  }
  return llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
