// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/declarations.hpp"

#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <cstdlib>

#include "compiler/pass/ranges/marked_calls.hpp"

namespace weft::pass {
namespace {

llvm::Function* declaration(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(context),
      {pointer, llvm::Type::getInt64Ty(context), llvm::Type::getInt1Ty(context)}, false);
  llvm::Function* function = marker(module, kOverwrites, type);
  // It may change what it is given, so no use of that moves across it.
  using llvm::MemoryEffects;
  using llvm::ModRefInfo;
  function->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Mod) |
                             MemoryEffects::inaccessibleMemOnly());
  function->addParamAttr(0,
                         llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none()));
  return function;
}

// Optimisations have found out that the condition does not hold.
bool is_pointless(const llvm::CallInst& declared) {
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(declared.getArgOperand(1));
  const auto* holds = llvm::dyn_cast<llvm::Constant>(declared.getArgOperand(2));
  return (bytes != nullptr && bytes->getValue().ult(fewest_bytes())) ||
         (holds != nullptr && !holds->isOneValue());
}

// Whether it is worth the call and may be made.
llvm::Value* condition(llvm::IRBuilder<>& builder, const llvm::CallInst& declared) {
  llvm::Value* enough =
      builder.CreateICmpUGE(declared.getArgOperand(1), builder.getInt64(fewest_bytes()));
  if (llvm::isa<llvm::Constant>(declared.getArgOperand(2))) return enough;  // it holds
  return builder.CreateAnd(enough, declared.getArgOperand(2));
}

void replace(llvm::CallInst& declared, llvm::Module& module) {
  llvm::IRBuilder<> builder(&declared);
  move_behind_flag(declared, module);
  builder.SetInsertPoint(&declared);
  llvm::Value* holds = condition(builder, declared);
  if (!llvm::isa<llvm::ConstantInt>(holds)) move_behind(holds, declared);
  builder.SetInsertPoint(&declared);
  builder.SetCurrentDebugLocation(declared.getDebugLoc());
  call_keeping_registers(builder, "__weft_overwrite",
                         {declared.getArgOperand(0), declared.getArgOperand(1)});
  declared.eraseFromParent();
}

}  // namespace

unsigned fewest_bytes() {
  static const unsigned bytes = [] {
    const char* value = std::getenv("WEFT_FEWEST_BYTES");
    return value == nullptr ? 32768U : static_cast<unsigned>(std::strtoul(value, nullptr, 10));
  }();
  return bytes;
}

void put_declaration(llvm::IRBuilder<>& builder, llvm::Value* first, llvm::Value* bytes,
                     llvm::Value* holds, llvm::ArrayRef<llvm::Instruction*> writers) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::CallInst* call = builder.CreateCall(declaration(module), {first, bytes, holds});
  // Accesses of other types cannot mean what it changes, as they cannot mean what is stored.
  llvm::MDNode* type = writers.front()->getMetadata(llvm::LLVMContext::MD_tbaa);
  for (const llvm::Instruction* writer : writers) {
    type = llvm::MDNode::getMostGenericTBAA(type, writer->getMetadata(llvm::LLVMContext::MD_tbaa));
  }
  call->setMetadata(llvm::LLVMContext::MD_tbaa, type);
  note_range(*call, writers);
}

llvm::PreservedAnalyses DeclarationsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  const bool changed = replace_markers(module, kOverwrites, [&](llvm::CallInst& declared) {
    if (is_pointless(declared)) {
      declared.eraseFromParent();
    } else {
      replace(declared, module);
    }
  });
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
