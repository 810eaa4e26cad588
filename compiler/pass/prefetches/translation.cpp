// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/translation.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>

namespace weft::pass {
namespace {

// For all that one function uses.
constexpr std::size_t kMostValues = 1000;
// Looked at for a store, back from the call.
constexpr unsigned kMostInstructions = 1000;

bool is_pure(const llvm::Instruction& instruction) {
  return llvm::isa<llvm::BinaryOperator, llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst,
                   llvm::SelectInst, llvm::FreezeInst, llvm::MinMaxIntrinsic>(instruction);
}

}  // namespace

std::optional<Use> Translation::of(const Use& use) {
  Use here = use;
  bool is_known = true;
  const auto translate = [&](llvm::Value*& value) {
    value = of(value);
    is_known &= value != nullptr;
  };
  translate(here.values.first);
  translate(here.values.bytes);
  for (auto& [bytes, count] : here.values.strides) {
    translate(bytes);
    translate(count);
  }
  for (llvm::Value*& each : here.conditions) translate(each);
  return is_known ? std::optional(here) : std::nullopt;
}

llvm::Value* Translation::of(llvm::Value* value) {
  if (auto* argument = llvm::dyn_cast<llvm::Argument>(value)) {
    return call_.getArgOperand(argument->getArgNo());
  }
  if (llvm::isa<llvm::Constant>(value)) return value;
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return nullptr;
  const auto known = known_.find(value);
  if (known != known_.end()) return known->second;
  if (known_.size() >= kMostValues) return nullptr;
  known_[value] = nullptr;  // meanwhile, and if it is not to be had
  return known_[value] = computed_again(*instruction);
}

llvm::Value* Translation::computed_again(llvm::Instruction& instruction) {
  if (auto* merged = llvm::dyn_cast<llvm::PHINode>(&instruction)) {
    return merged->getNumIncomingValues() == 1 ? of(merged->getIncomingValue(0)) : nullptr;
  }
  if (llvm::Value* pointer = loaded_pointer(instruction)) {
    llvm::Value* from = of(pointer);
    return from == nullptr ? nullptr : loaded(from, instruction);
  }
  if (!is_pure(instruction)) return nullptr;
  llvm::SmallVector<llvm::Value*, 4> operands;
  for (llvm::Value* each : instruction.operands()) {
    operands.push_back(of(each));
    if (operands.back() == nullptr) return nullptr;
  }
  llvm::Instruction* again = instruction.clone();
  for (unsigned index = 0; index < operands.size(); ++index) {
    again->setOperand(index, operands[index]);
  }
  again->setDebugLoc(llvm::DebugLoc());
  again->dropUnknownNonDebugMetadata();
  builder_.Insert(again);
  callees_.remove_later(again);
  return again;
}

llvm::Value* Translation::loaded(llvm::Value* from, llvm::Instruction& load) {
  llvm::Value* value = nullptr;
  if (const auto last = stored(from, loaded_type(load))) {
    if (*last == nullptr || (*last)->getType() == load.getType()) return *last;
    value = builder_.CreateZExt(*last, load.getType());
  } else {
    value = put_hint(builder_, from, load);
  }
  callees_.remove_later(value);
  return value;
}

bool Translation::is_last_store(const llvm::StoreInst& store,
                                const llvm::AllocaInst& variable) const {
  return llvm::none_of(variable.users(), [&](const llvm::User* user) {
    const auto* other = llvm::dyn_cast<llvm::StoreInst>(user);
    if (other == nullptr || other == &store || other->getPointerOperand() != &variable)
      return false;
    // In a loop that the store is outside of, and the call inside.
    for (const llvm::Loop* loop = loops_.getLoopFor(call_.getParent()); loop != nullptr;
         loop = loop->getParentLoop()) {
      if (loop->contains(other) && !loop->contains(&store)) return true;
    }
    return false;
  });
}

std::optional<llvm::Value*> Translation::stored(llvm::Value* to, llvm::Type* type) {
  const llvm::DataLayout& layout = call_.getDataLayout();
  std::int64_t offset = 0;
  const auto* variable =
      llvm::dyn_cast<llvm::AllocaInst>(llvm::GetPointerBaseWithConstantOffset(to, offset, layout));
  if (variable == nullptr) return std::nullopt;
  const auto is_there = [&](const llvm::StoreInst& store) {
    std::int64_t other_offset = 0;
    return llvm::GetPointerBaseWithConstantOffset(store.getPointerOperand(), other_offset,
                                                  layout) == variable &&
           other_offset == offset;
  };
  unsigned looked_at = 0;
  const llvm::Instruction* from = call_.getPrevNode();
  for (const auto* node = dominators_.getNode(call_.getParent()); node != nullptr;) {
    for (; from != nullptr; from = from->getPrevNode()) {
      if (++looked_at > kMostInstructions) return nullptr;
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(from);
      if (store == nullptr || !is_there(*store)) continue;
      llvm::Value* value = const_cast<llvm::Value*>(store->getValueOperand());
      if (value->getType() != type || !is_last_store(*store, *variable)) return nullptr;
      return value;
    }
    node = node->getIDom();
    if (node != nullptr) from = node->getBlock()->getTerminator();
  }
  return std::nullopt;
}

}  // namespace weft::pass
