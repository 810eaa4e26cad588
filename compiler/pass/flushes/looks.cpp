// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/flushes/looks.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Instructions.h>

#include "compiler/pass/flushes/program_flushes.hpp"

namespace weft::pass {
namespace {

bool acquires_itself(const llvm::Instruction& look) {
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&look)) {
    return llvm::isAcquireOrStronger(load->getOrdering());
  }
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&look)) {
    return llvm::isAcquireOrStronger(update->getOrdering());
  }
  const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&look);
  return exchange != nullptr && llvm::isAcquireOrStronger(exchange->getFailureOrdering());
}

bool acquires(const llvm::Instruction& look) {
  if (!look.isAtomic()) return false;
  if (acquires_itself(look)) return true;
  for (auto* next = look.getNextNode(); next != nullptr; next = next->getNextNode()) {
    if (flushes(*next)) return true;
  }
  return false;
}

}  // namespace

bool Looks::depend_on_memory(const llvm::Value* condition) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(condition);
  if (instruction == nullptr || !loop_.contains(instruction)) return false;
  if (!seen_.insert(instruction).second) return false;
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(instruction)) {
    return looks_at(*load, load->getPointerOperand());
  }
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(instruction)) {
    return looks_at(*update, update->getPointerOperand());
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(instruction)) {
    return looks_at(*exchange, exchange->getPointerOperand());
  }
  if (instruction->mayReadFromMemory()) {
    all_acquire_ = false;
    return true;
  }
  bool depends = false;
  // Of `a && b` the front end makes a choice between blocks.
  if (llvm::isa<llvm::PHINode>(instruction) && is_conditional(*instruction)) {
    depends = any_condition_depends();
  }
  for (const llvm::Value* operand : instruction->operands()) depends |= depend_on_memory(operand);
  return depends;
}

bool Looks::looks_at(const llvm::Instruction& look, const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer);
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(object);
  if (variable != nullptr && !llvm::PointerMayBeCaptured(variable, /*ReturnCaptures=*/false)) {
    return follow_variable(*variable);
  }
  places_.insert(place_of(pointer));
  all_acquire_ &= acquires(look);
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
