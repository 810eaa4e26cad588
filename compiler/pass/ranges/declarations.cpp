// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/declarations.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace weft::pass {
namespace {

// No linker knows such a name: none is left when the pass is done.
constexpr const char* kDeclaration = "weft.overwrites";

llvm::Function* declaration(llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(
      llvm::Type::getVoidTy(context),
      {pointer, llvm::Type::getInt64Ty(context), llvm::Type::getInt1Ty(context)}, false);
  auto* function =
      llvm::cast<llvm::Function>(module.getOrInsertFunction(kDeclaration, type).getCallee());
  // It may change what it is given, so no use of that moves across it.
  using llvm::MemoryEffects;
  using llvm::ModRefInfo;
  function->setMemoryEffects(MemoryEffects::argMemOnly(ModRefInfo::Mod) |
                             MemoryEffects::inaccessibleMemOnly());
  for (const auto kind :
       {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
        llvm::Attribute::NoCallback, llvm::Attribute::NoFree}) {
    function->addFnAttr(kind);
  }
  function->addParamAttr(0,
                         llvm::Attribute::getWithCaptureInfo(context, llvm::CaptureInfo::none()));
  return function;
}

bool is_movable(const llvm::Instruction& instruction) {
  return !llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator() &&
         !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() &&
         !llvm::isa<llvm::AllocaInst>(instruction);
}

// Whether nobody needs it before `place` but the call.
bool is_only_for(const llvm::Instruction& instruction, const llvm::Instruction& call,
                 const llvm::Instruction& place) {
  return is_movable(instruction) && llvm::all_of(instruction.users(), [&](const llvm::User* user) {
           const auto* other = llvm::dyn_cast<llvm::Instruction>(user);
           return other == &call || (other != nullptr && other->getParent() == place.getParent());
         });
}

// Moves to `place` the operands of `call`, and theirs, that nobody else needs before it.
void sink_operands(llvm::Instruction& call, llvm::Instruction& place, llvm::BasicBlock& before) {
  llvm::SetVector<llvm::Instruction*> open;
  const auto add_operands = [&](llvm::Instruction& of) {
    for (llvm::Value* operand : of.operands()) {
      auto* instruction = llvm::dyn_cast<llvm::Instruction>(operand);
      if (instruction != nullptr && instruction->getParent() == &before) open.insert(instruction);
    }
  };
  add_operands(call);
  // Each is looked at again when another of its users has been moved.
  for (llvm::Instruction* position = &place;;) {
    const auto next = llvm::find_if(
        open, [&](const llvm::Instruction* each) { return is_only_for(*each, call, place); });
    if (next == open.end()) return;
    llvm::Instruction* moved = *next;
    open.remove(moved);
    moved->moveBefore(position->getIterator());
    position = moved;
    add_operands(*moved);
  }
}

llvm::Value* load_flag(llvm::IRBuilder<>& builder, llvm::Module& module) {
  auto* spans = builder.CreateLoad(
      builder.getInt32Ty(), module.getOrInsertGlobal("__weft_spans_nodes", builder.getInt32Ty()));
  spans->setMetadata(llvm::LLVMContext::MD_invariant_load,
                     llvm::MDNode::get(module.getContext(), {}));
  return builder.CreateIsNotNull(spans, "weft.spans");
}

// Optimisations have found out that the condition does not hold.
bool is_pointless(const llvm::CallInst& declared) {
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(declared.getArgOperand(1));
  const auto* holds = llvm::dyn_cast<llvm::Constant>(declared.getArgOperand(2));
  return (bytes != nullptr && bytes->getValue().ult(kFewestBytes)) ||
         (holds != nullptr && !holds->isOneValue());
}

// Whether it is worth the call and may be made.
llvm::Value* condition(llvm::IRBuilder<>& builder, const llvm::CallInst& declared) {
  llvm::Value* enough =
      builder.CreateICmpUGE(declared.getArgOperand(1), builder.getInt64(kFewestBytes));
  if (llvm::isa<llvm::Constant>(declared.getArgOperand(2))) return enough;  // it holds
  return builder.CreateAnd(enough, declared.getArgOperand(2));
}

void replace(llvm::CallInst& declared, llvm::Module& module) {
  llvm::IRBuilder<> builder(&declared);
  llvm::BasicBlock* before = declared.getParent();
  llvm::Instruction* end = llvm::SplitBlockAndInsertIfThen(
      load_flag(builder, module), &declared, /*Unreachable=*/false,
      llvm::MDBuilder(module.getContext()).createUnlikelyBranchWeights());
  declared.moveBefore(end->getIterator());
  sink_operands(declared, *end->getParent()->begin(), *before);

  builder.SetInsertPoint(&declared);
  llvm::Value* holds = condition(builder, declared);
  if (!llvm::isa<llvm::ConstantInt>(holds)) {
    end = llvm::SplitBlockAndInsertIfThen(holds, &declared, /*Unreachable=*/false);
  }
  builder.SetInsertPoint(end);
  builder.SetCurrentDebugLocation(declared.getDebugLoc());
  llvm::FunctionCallee callee = module.getOrInsertFunction(
      "__weft_overwrite", builder.getVoidTy(), builder.getPtrTy(), builder.getInt64Ty());
  llvm::CallInst* call =
      builder.CreateCall(callee, {declared.getArgOperand(0), declared.getArgOperand(1)});
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::Cold);
  declared.eraseFromParent();
}

}  // namespace

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
}

llvm::PreservedAnalyses DeclarationsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::Function* function = module.getFunction(kDeclaration);
  if (function == nullptr) return llvm::PreservedAnalyses::all();
  while (!function->use_empty()) {
    auto& declared = *llvm::cast<llvm::CallInst>(function->user_back());
    if (is_pointless(declared)) {
      declared.eraseFromParent();
    } else {
      replace(declared, module);
    }
  }
  function->eraseFromParent();
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
