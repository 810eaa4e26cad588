// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/flushes/originals.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "compiler/pass/atomics/marked_fences.hpp"
#include "compiler/pass/calls/surroundings.hpp"
#include "compiler/pass/flushes/places.hpp"

namespace weft::pass {
namespace {

using Blocks = llvm::SetVector<llvm::BasicBlock*>;

// Where a thread goes that is to write the originals, up to the call that ends it; and where it
// would do that by atomic operations.
Blocks adding_blocks(llvm::CallInst& reduce) {
  Blocks blocks;
  auto* choice = llvm::dyn_cast<llvm::SwitchInst>(reduce.getParent()->getTerminator());
  if (choice == nullptr || choice->getCondition() != &reduce) return blocks;
  for (const auto& each : choice->cases()) blocks.insert(each.getCaseSuccessor());
  for (unsigned next = 0; next < blocks.size(); ++next) {
    const bool ends = llvm::any_of(*blocks[next], [](const llvm::Instruction& at) {
      return is_call_of(at, "__kmpc_end_reduce") || is_call_of(at, "__kmpc_end_reduce_nowait");
    });
    if (ends) continue;
    for (llvm::BasicBlock* block : llvm::successors(blocks[next])) {
      if (block != choice->getDefaultDest()) blocks.insert(block);
    }
  }
  return blocks;
}

// Variables of the thread's own are none, but for Fortran's descriptors, which say where an array
// is.
void add_original(const llvm::Value* pointer, std::set<Place>& originals) {
  const Place place = place_of(pointer);
  const auto* value = static_cast<const llvm::Value*>(place.first);
  if (place.second != 0 || !llvm::isa<llvm::AllocaInst>(value)) {
    originals.insert(place);
    return;
  }
  for (const llvm::User* user : value->users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || !store->getValueOperand()->getType()->isStructTy()) continue;
    const llvm::Value* part = store->getValueOperand();
    while (const auto* insert = llvm::dyn_cast<llvm::InsertValueInst>(part)) {
      const llvm::Value* base = insert->getInsertedValueOperand();
      if (base->getType()->isPointerTy()) originals.insert(place_of(base));
      part = insert->getAggregateOperand();
    }
  }
}

bool may_be_original(const llvm::Value* value, const Blocks& inside) {
  if (!value->getType()->isPointerTy() || llvm::isa<llvm::Function>(value)) return false;
  if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(value))
    return !global->isConstant();
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr) return !llvm::isa<llvm::ConstantPointerNull>(value);
  return llvm::isa<llvm::LoadInst>(value) || !inside.contains(instruction->getParent());
}

void add_originals_of(llvm::CallInst& reduce, std::set<Place>& originals, Blocks& adding) {
  const Blocks inside = adding_blocks(reduce);
  for (const llvm::BasicBlock* block : inside) {
    for (const llvm::Instruction& instruction : *block) {
      for (const llvm::Value* operand : instruction.operands()) {
        if (may_be_original(operand, inside)) add_original(operand, originals);
      }
    }
  }
  adding.insert(inside.begin(), inside.end());
}

const llvm::Value* written_by(const llvm::Instruction& instruction) {
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return store->getPointerOperand();
  }
  if (const auto* update = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) {
    return update->getPointerOperand();
  }
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction)) {
    return exchange->getPointerOperand();
  }
  const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction);
  return copy == nullptr ? nullptr : copy->getRawDest();
}

bool is_of_runtime(const llvm::CallBase& call) {
  const llvm::Function* function = call.getCalledFunction();
  return function != nullptr &&
         (function->isIntrinsic() || function->getName().starts_with("__kmpc_"));
}

// Who is given a pointer may write there.
bool is_written(const llvm::Instruction& instruction, const std::set<Place>& places) {
  if (const llvm::Value* pointer = written_by(instruction)) return is_among(places, pointer);
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr || is_of_runtime(*call)) return false;
  return llvm::any_of(call->args(), [&](const llvm::Use& use) {
    return use->getType()->isPointerTy() && is_among(places, use);
  });
}

bool calls_nothing(const llvm::Loop& loop) {
  return llvm::all_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::all_of(*block, [](const llvm::Instruction& at) {
      return !llvm::isa<llvm::CallBase>(at) || llvm::isa<llvm::IntrinsicInst>(at);
    });
  });
}

// The stretch between two barriers counts, and not the moment: so it can be said before a loop that
// stores, which stays as simple as it was.
llvm::Instruction* place_to_tell(llvm::Instruction& store, const llvm::LoopInfo& loops) {
  // A function that is called may come to barriers before it stores.
  llvm::Instruction* place = llvm::isa<llvm::CallInst>(store) ? store.getNextNode() : &store;
  const llvm::Loop* loop = loops.getLoopFor(store.getParent());
  for (; loop != nullptr && calls_nothing(*loop); loop = loop->getParentLoop()) {
    const llvm::BasicBlock* before = loop->getLoopPredecessor();
    if (before != nullptr) place = const_cast<llvm::Instruction*>(before->getTerminator());
  }
  return place;
}

bool tell_of_stores(llvm::Function& function, const std::set<Place>& originals,
                    const Blocks& adding) {
  llvm::SmallVector<llvm::Instruction*, 8> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    if (adding.contains(instruction.getParent())) continue;
    if (is_written(instruction, originals)) stores.push_back(&instruction);
  }
  if (stores.empty()) return false;
  const llvm::DominatorTree dominators(function);
  const llvm::LoopInfo loops(dominators);
  llvm::SetVector<llvm::Instruction*> places;
  for (llvm::Instruction* store : stores) places.insert(place_to_tell(*store, loops));
  for (llvm::Instruction* place : places) {
    llvm::IRBuilder<> builder(place);
    put_fence(builder, FenceMark::kOriginal);
  }
  return true;
}

}  // namespace

llvm::PreservedAnalyses OriginalsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::set<Place> originals;
  Blocks adding;
  for (const char* name : {"__kmpc_reduce", "__kmpc_reduce_nowait"}) {
    llvm::Function* function = module.getFunction(name);
    if (function == nullptr) continue;
    for (llvm::User* user : function->users()) {
      auto* reduce = llvm::dyn_cast<llvm::CallInst>(user);
      if (reduce != nullptr) add_originals_of(*reduce, originals, adding);
    }
  }
  if (originals.empty()) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) changed |= tell_of_stores(function, originals, adding);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
