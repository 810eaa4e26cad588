// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/marked_calls.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include <cstdlib>

namespace weft::pass {
namespace {

constexpr const char* kRanges = "weft.ranges";

void add_node(llvm::Instruction& instruction, llvm::MDNode* range) {
  llvm::SmallVector<llvm::Metadata*, 2> all;
  for (const llvm::MDNode* each : noted_ranges(instruction))
    all.push_back(const_cast<llvm::MDNode*>(each));
  all.push_back(range);
  instruction.setMetadata(kRanges, llvm::MDNode::get(instruction.getContext(), all));
}

bool is_movable(const llvm::Instruction& instruction) {
  return is_hint(instruction) ||
         (!llvm::isa<llvm::PHINode>(instruction) && !instruction.isTerminator() &&
          !instruction.mayReadOrWriteMemory() && !instruction.mayHaveSideEffects() &&
          !llvm::isa<llvm::AllocaInst>(instruction));
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

}  // namespace

bool may_have_calls(const llvm::Function& function) {
  const llvm::Triple& target = function.getParent()->getTargetTriple();
  return !function.hasMinSize() && target.isOSBinFormatELF() && target.isArch64Bit();
}

llvm::Function* marker(llvm::Module& module, llvm::StringRef name, llvm::FunctionType* type) {
  auto* function = llvm::cast<llvm::Function>(module.getOrInsertFunction(name, type).getCallee());
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  for (const auto kind :
       {llvm::Attribute::NoUnwind, llvm::Attribute::WillReturn, llvm::Attribute::NoSync,
        llvm::Attribute::NoCallback, llvm::Attribute::NoFree}) {
    function->addFnAttr(kind);
  }
  return function;
}

bool is_marker(const llvm::Value& value, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&value);
  const llvm::Function* called = call == nullptr ? nullptr : call->getCalledFunction();
  return called != nullptr && called->getName() == name;
}

bool is_hint(const llvm::Value& value) { return is_marker(value, kHint); }

bool is_checking() {
  const char* value = std::getenv("WEFT_CHECK_RANGES");
  return value != nullptr && llvm::StringRef(value) == "on";
}

void note_range(llvm::CallInst& marker, llvm::ArrayRef<llvm::Instruction*> accesses) {
  if (!is_checking()) return;
  llvm::MDNode* range = llvm::MDNode::getDistinct(marker.getContext(), {});
  add_node(marker, range);
  for (llvm::Instruction* each : accesses) add_node(*each, range);
}

llvm::SmallVector<const llvm::MDNode*, 2> noted_ranges(const llvm::Instruction& instruction) {
  llvm::SmallVector<const llvm::MDNode*, 2> ranges;
  const llvm::MDNode* all = instruction.getMetadata(kRanges);
  if (all == nullptr) return ranges;
  for (const llvm::MDOperand& each : all->operands())
    ranges.push_back(llvm::cast<llvm::MDNode>(each));
  return ranges;
}

void forget_ranges(llvm::Instruction& instruction) { instruction.setMetadata(kRanges, nullptr); }

llvm::Instruction* move_behind_flag(llvm::CallInst& marker, llvm::Module& module) {
  llvm::IRBuilder<> builder(&marker);
  return move_behind(load_flag(builder, module), marker,
                     llvm::MDBuilder(module.getContext()).createUnlikelyBranchWeights());
}

llvm::Instruction* move_behind(llvm::Value* condition, llvm::CallInst& marker,
                               llvm::MDNode* weights) {
  llvm::BasicBlock* before = marker.getParent();
  llvm::Instruction* end =
      llvm::SplitBlockAndInsertIfThen(condition, &marker, /*Unreachable=*/false, weights);
  marker.moveBefore(end->getIterator());
  sink_operands(marker, *end->getParent()->begin(), *before);
  return end;
}

llvm::CallInst* call_library(llvm::IRBuilder<>& builder, llvm::StringRef name, llvm::Type* result,
                             llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const llvm::Value* each : arguments) types.push_back(each->getType());
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::CallInst* call = builder.CreateCall(
      module.getOrInsertFunction(name, llvm::FunctionType::get(result, types, false)), arguments);
  call->setDoesNotThrow();
  call->addFnAttr(llvm::Attribute::Cold);
  return call;
}

llvm::CallInst* call_keeping_registers(llvm::IRBuilder<>& builder, llvm::StringRef name,
                                       llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* call = call_library(builder, name, builder.getVoidTy(), arguments);
  llvm::Function* function = call->getCalledFunction();
  call->setCallingConv(llvm::CallingConv::PreserveMost);
  function->setCallingConv(llvm::CallingConv::PreserveMost);
  function->addFnAttr(llvm::Attribute::NonLazyBind);
  return call;
}

bool replace_markers(llvm::Module& module, llvm::StringRef name,
                     llvm::function_ref<void(llvm::CallInst&)> replace) {
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) return false;
  while (!function->use_empty()) replace(*llvm::cast<llvm::CallInst>(function->user_back()));
  function->eraseFromParent();
  return true;
}

}  // namespace weft::pass
