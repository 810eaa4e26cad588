// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's entry point: says at which points of the compiler's pipeline Weft's passes run.
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include "base/compiler_abi.h"

namespace {

// Leaves an ELF note in the object, by which later checks tell that weftcc compiled it.
class NotePass : public llvm::PassInfoMixin<NotePass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
    if (module.getNamedGlobal("__weft_note") != nullptr) return llvm::PreservedAnalyses::all();
    llvm::LLVMContext& context = module.getContext();
    llvm::Type* word = llvm::Type::getInt32Ty(context);
    llvm::Constant* owner = llvm::ConstantDataArray::getString(
        context, llvm::StringRef(WEFT_NOTE_OWNER "\0\0\0\0", 8), false);
    auto number = [&](unsigned value) { return llvm::ConstantInt::get(word, value); };
    llvm::Constant* note =
        llvm::ConstantStruct::getAnon({number(sizeof(WEFT_NOTE_OWNER)), number(4),
                                       number(WEFT_NOTE_TYPE), owner, number(WEFT_ABI_VERSION)});
    auto* global = new llvm::GlobalVariable(
        module, note->getType(), true, llvm::GlobalValue::InternalLinkage, note, "__weft_note");
    global->setSection(".note.weft");
    global->setAlignment(llvm::Align(4));
    llvm::appendToCompilerUsed(module, {global});
    return llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

void register_passes(llvm::PassBuilder& builder) {
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        manager.addPass(NotePass());
      });
}

}  // namespace

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Weft", LLVM_VERSION_STRING, register_passes};
}
