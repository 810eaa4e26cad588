// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/modules/note.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/compiler_abi.h"

namespace weft::pass {

llvm::PreservedAnalyses NotePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  constexpr const char* kName = "__weft_note";
  if (!module.getTargetTriple().isOSBinFormatELF() || module.getNamedGlobal(kName) != nullptr) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::LLVMContext& context = module.getContext();
  auto number = [&](unsigned value) {
    return llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value);
  };
  // The owner's name is padded to a multiple of four bytes.
  llvm::Constant* owner = llvm::ConstantDataArray::getString(
      context, llvm::StringRef(WEFT_NOTE_OWNER "\0\0\0\0", 8), false);
  llvm::Constant* note =
      llvm::ConstantStruct::getAnon({number(sizeof(WEFT_NOTE_OWNER)), number(sizeof(int)),
                                     number(WEFT_NOTE_TYPE), owner, number(WEFT_ABI_VERSION)});
  auto* global = new llvm::GlobalVariable(module, note->getType(), true,
                                          llvm::GlobalValue::InternalLinkage, note, kName);
  global->setSection(".note.weft");
  global->setAlignment(llvm::Align(4));
  llvm::appendToCompilerUsed(module, {global});
  return llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
