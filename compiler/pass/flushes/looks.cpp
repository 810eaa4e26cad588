// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/flushes/looks.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

namespace weft::pass {

bool Looks::depend_on_memory(const llvm::Value* condition) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(condition);
  if (instruction == nullptr || !loop_.contains(instruction)) return false;
  if (!seen_.insert(instruction).second) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
    return looks_at(load->getPointerOperand());
  }
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(instruction)) {
    return looks_at(update->getPointerOperand());
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(instruction)) {
    return looks_at(exchange->getPointerOperand());
  }
  if (instruction->mayReadFromMemory()) return true;
  bool depends = false;
  // Of `a && b` the front end makes a choice between blocks.
  if (llvm::isa<llvm::PHINode>(instruction) && is_conditional(*instruction)) {
    depends = any_condition_depends();
  }
  for (const llvm::Value* operand : instruction->operands()) depends |= depend_on_memory(operand);
  return depends;
}

bool Looks::looks_at(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(object);
  if (variable != nullptr && !llvm::PointerMayBeCaptured(variable, /*ReturnCaptures=*/false)) {
    return follow_variable(*variable);
  }
  places_.insert(place_of(pointer));
  return true;
}

bool Looks::follow_variable(const llvm::Instruction& variable) {
  bool depends = false;
  for (const llvm::User* user : variable.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || !loop_.contains(store)) continue;
    depends |= depend_on_memory(store->getValueOperand());
    if (is_conditional(*store)) depends |= any_condition_depends();
  }
  return depends;
}

// Whether turns of the loop may leave it out.
bool Looks::is_conditional(const llvm::Instruction& instruction) const {
  if (llvm::isa<llvm::PHINode>(instruction)) return instruction.getParent() != loop_.getHeader();
  llvm::SmallVector<llvm::BasicBlock*, 4> latches;
  loop_.getLoopLatches(latches);
  return !llvm::all_of(latches, [&](const llvm::BasicBlock* latch) {
    return dominators_.dominates(instruction.getParent(), latch);
  });
}

bool Looks::any_condition_depends() {
  bool depends = false;
  for (const llvm::BasicBlock* block : loop_.blocks()) {
    const llvm::Instruction* end = block->getTerminator();
    if (end->getNumSuccessors() > 1) depends |= depend_on_memory(end->getOperand(0));
  }
  return depends;
}

}  // namespace weft::pass
