// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/flushes/polls.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/pass/atomics/marked_fences.hpp"
#include "compiler/pass/calls/call_notes.hpp"
#include "compiler/pass/calls/surroundings.hpp"
#include "compiler/pass/flushes/looks.hpp"
#include "compiler/pass/flushes/places.hpp"
#include "compiler/pass/flushes/program_flushes.hpp"

namespace weft::pass {
namespace {

// Puts the fences where one function's loops end.
class PollsOfFunction {
 public:
  PollsOfFunction(llvm::Function& function, std::set<Place>& places)
      : function_(function), places_(places), dominators_(function), loops_(dominators_) {}

  bool end_all() {
    llvm::SetVector<llvm::Loop*> found;
    for (llvm::BasicBlock& block : function_) {
      llvm::Loop* loop = loops_.getLoopFor(&block);
      if (loop != nullptr && llvm::any_of(block, flushes)) found.insert(loop);
    }
    // Blocks are added meanwhile, but none to these loops.
    for (llvm::Loop* loop : found) find_ends(*loop);
    for (llvm::BasicBlock* end : whole_) end_at(*end);
    for (const auto& [from, to] : edges_) {
      end_at(*llvm::SplitEdge(from, to, &dominators_, &loops_));
    }
    return !whole_.empty() || !edges_.empty();
  }

 private:
  void find_ends(const llvm::Loop& loop) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exiting;
    loop.getExitingBlocks(exiting);
    for (llvm::BasicBlock* block : exiting) {
      llvm::Instruction* end = block->getTerminator();
      if (!llvm::isa<llvm::BranchInst, llvm::SwitchInst>(end)) continue;
      Looks looks(loop, dominators_, places_);
      if (!looks.depend_on_memory(end->getOperand(0)) || looks.all_acquire()) continue;
      for (llvm::BasicBlock* next : llvm::successors(block)) {
        if (!loop.contains(next)) note_end(loop, block, next);
      }
    }
  }

  void note_end(const llvm::Loop& loop, llvm::BasicBlock* from, llvm::BasicBlock* to) {
    const bool is_end_alone =
        llvm::all_of(llvm::predecessors(to),
                     [&](const llvm::BasicBlock* before) { return loop.contains(before); });
    if (is_end_alone) {
      whole_.insert(to);
    } else {
      edges_.insert({from, to});
    }
  }

  static void end_at(llvm::BasicBlock& block) {
    llvm::Instruction& first = *block.getFirstNonPHIOrDbg();
    if (is_call_of(first, "__kmpc_flush")) {
      return attach_note(llvm::cast<llvm::CallInst>(first), openmp::CallNote::kPolled);
    }
    llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
    put_fence(builder, FenceMark::kPolled);
  }

  llvm::Function& function_;
  std::set<Place>& places_;
  llvm::DominatorTree dominators_;
  llvm::LoopInfo loops_;
  llvm::SetVector<llvm::BasicBlock*> whole_;
  llvm::SetVector<std::pair<llvm::BasicBlock*, llvm::BasicBlock*>> edges_;
};

// Those that say by themselves that they release do so already.
bool is_silent(const llvm::StoreInst& store) {
  return !store.isVolatile() && !llvm::isReleaseOrStronger(store.getOrdering()) &&
         !store.getValueOperand()->getType()->isAggregateType();
}

void release_behind_stores(llvm::Function& function, const std::set<Place>& places) {
  llvm::SmallVector<llvm::StoreInst*, 8> found;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr || !is_silent(*store)) continue;
    if (is_among(places, store->getPointerOperand())) found.push_back(store);
  }
  for (llvm::StoreInst* store : found) {
    if (is_call_of(*store->getNextNode(), "__kmpc_flush")) continue;
    llvm::IRBuilder<> builder(store->getNextNode());
    builder.SetCurrentDebugLocation(store->getDebugLoc());
    builder.CreateFence(llvm::AtomicOrdering::Release);
  }
}

}  // namespace

llvm::PreservedAnalyses PollsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  std::set<Place> places;
  bool changed = false;
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !llvm::any_of(llvm::instructions(function), flushes)) continue;
    changed |= PollsOfFunction(function, places).end_all();
  }
  if (!changed && places.empty()) return llvm::PreservedAnalyses::all();
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) release_behind_stores(function, places);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
