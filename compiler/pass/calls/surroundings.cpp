// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For reductions the front ends write
//
//     part = __kmpc_reduce...(...)
//     switch (part) { case 1: originals op= copies; __kmpc_end_reduce...(...); case 2: atomics }
//     rest:
//
// and threads of a team that spans nodes get 0, or 1 where they are to write the originals. For
// single regions
//
//     mine = __kmpc_single(...)
//     if (mine != 0) { ...; __kmpc_end_single(...) }
//     __kmpc_barrier(...), or __kmpc_copyprivate(...), or neither (nowait)
#include "compiler/pass/calls/surroundings.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/PatternMatch.h>

namespace weft::pass {
namespace {

// No thread but this one can notice it: copies of its own variables, arithmetic, and giving memory
// back that such copies had.
bool is_unnoticed(const llvm::Instruction& instruction) {
  const auto is_own = [](const llvm::Value* pointer) {
    return llvm::isa<llvm::AllocaInst>(llvm::getUnderlyingObject(pointer));
  };
  if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return store->isSimple() && is_own(store->getPointerOperand());
  }
  if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&instruction)) {
    return !copy->isVolatile() && is_own(copy->getRawDest());
  }
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) return load->isSimple();
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    return intrinsic->isLifetimeStartOrEnd() || intrinsic->isAssumeLikeIntrinsic() ||
           intrinsic->getIntrinsicID() == llvm::Intrinsic::stackrestore;
  }
  return is_call_of(instruction, "__kmpc_global_thread_num") || is_call_of(instruction, "free") ||
         llvm::isa<llvm::AllocaInst>(instruction) || !instruction.mayHaveSideEffects();
}

// Where threads go that get 0.
const llvm::BasicBlock* rest_of(const llvm::CallInst& reduce) {
  const auto* choice = llvm::dyn_cast<llvm::SwitchInst>(reduce.getParent()->getTerminator());
  return choice != nullptr && choice->getCondition() == &reduce ? choice->getDefaultDest()
                                                                : nullptr;
}

// Whether a way through a function goes on behind an instruction, and how.
enum class Step { kPass, kSkip, kEnd };

// From there on, every way to the function's end, or to an instruction that ends it, is unnoticed.
template <class Judge>
bool goes_unnoticed(const llvm::Instruction* first, const Judge& judge) {
  llvm::SmallVector<const llvm::Instruction*, 8> open = {first};
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen;
  while (!open.empty()) {
    const llvm::Instruction* at = open.pop_back_val();
    for (; at != nullptr; at = at->getNextNode()) {
      const Step step = judge(*at);
      if (step == Step::kEnd) break;
      if (step == Step::kSkip) continue;
      if (at->isTerminator() ? llvm::isa<llvm::InvokeInst>(at) : !is_unnoticed(*at)) return false;
      if (!at->isTerminator()) continue;
      for (unsigned next = 0; next < at->getNumSuccessors(); ++next) {
        if (seen.insert(at->getSuccessor(next)).second)
          open.push_back(&at->getSuccessor(next)->front());
      }
    }
  }
  return true;
}

bool returns_unnoticed(const llvm::Instruction* first, const Barriers& redundant = {}) {
  return goes_unnoticed(first, [&](const llvm::Instruction& at) {
    return llvm::is_contained(redundant, &at) ? Step::kSkip : Step::kPass;
  });
}

// The instruction that ran before this one, as far as there is only one way to come here.
llvm::Instruction* before(llvm::Instruction& instruction) {
  if (instruction.getPrevNode() != nullptr) return instruction.getPrevNode();
  llvm::BasicBlock* block = instruction.getParent()->getSinglePredecessor();
  while (block != nullptr && block->getSingleSuccessor() != nullptr) {
    llvm::Instruction* last = block->getTerminator()->getPrevNode();
    if (last != nullptr) return last;
    block = block->getSinglePredecessor();
  }
  return nullptr;
}

bool begins_region(const llvm::CallInst& call) {
  return is_call_of(call, "__kmpc_fork_call") || is_call_of(call, "__kmpc_fork_call_if");
}

bool is_microtask(const llvm::Function& function) {
  return llvm::any_of(function.uses(), [](const llvm::Use& use) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(use.getUser());
    return call != nullptr && call->isDataOperand(&use) && begins_region(*call);
  });
}

// The end of the function is the end of a region, wherever it is called: it is the region's
// function, or (with debug information) regions' functions call it at their ends, and no others. A
// region that an if clause has made serial calls its function too, but its threads are in no team
// that spans nodes.
bool ends_with_region(const llvm::Function& function, unsigned depth = 0) {
  if (!function.hasLocalLinkage() || depth > 2) return false;
  const bool is_region = is_microtask(function);
  bool is_called_at_end = false;
  for (const llvm::Use& use : function.uses()) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(use.getUser());
    if (call == nullptr) return false;
    if (!call->isCallee(&use)) {
      if (!begins_region(*call)) return false;
      continue;
    }
    const llvm::Function& caller = *call->getFunction();
    if (!is_microtask(caller)) {
      if (!is_region) return false;
      continue;
    }
    if (!returns_unnoticed(call->getNextNode()) || !ends_with_region(caller, depth + 1))
      return false;
    is_called_at_end = true;
  }
  return is_called_at_end || is_region;
}

}  // namespace

bool is_call_of(const llvm::Instruction& instruction, llvm::StringRef name) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  const llvm::Function* callee = call == nullptr ? nullptr : call->getCalledFunction();
  return callee != nullptr && callee->getName() == name;
}

bool ends_region(const llvm::CallInst& reduce, const Barriers& redundant) {
  const llvm::BasicBlock* rest = rest_of(reduce);
  return rest != nullptr && returns_unnoticed(&rest->front(), redundant) &&
         ends_with_region(*reduce.getFunction());
}

bool ends_region(const llvm::CallInst& barrier) {
  return returns_unnoticed(barrier.getNextNode()) && ends_with_region(*barrier.getFunction());
}

bool waits_behind(const llvm::CallInst& single) {
  const auto* choice = llvm::dyn_cast<llvm::BranchInst>(single.getParent()->getTerminator());
  const auto* test = choice == nullptr || !choice->isConditional()
                         ? nullptr
                         : llvm::dyn_cast<llvm::ICmpInst>(choice->getCondition());
  if (test == nullptr || test->getOperand(0) != &single ||
      !llvm::PatternMatch::match(test->getOperand(1), llvm::PatternMatch::m_Zero())) {
    return false;
  }
  bool returns = false;
  const bool unnoticed = goes_unnoticed(
      &choice->getSuccessor(test->getPredicate() == llvm::CmpInst::ICMP_EQ ? 0 : 1)->front(),
      [&](const llvm::Instruction& at) {
        returns |= llvm::isa<llvm::ReturnInst>(at);
        const bool waits = is_call_of(at, "__kmpc_barrier") ||
                           is_call_of(at, "__kmpc_cancel_barrier") ||
                           is_call_of(at, "__kmpc_copyprivate");
        return waits ? Step::kEnd : Step::kPass;
      });
  return unnoticed && (!returns || ends_with_region(*single.getFunction()));
}

Barriers redundant_barriers(llvm::CallInst& reduce) {
  Barriers barriers;
  for (llvm::Instruction* at = before(reduce); at != nullptr; at = before(*at)) {
    if (is_call_of(*at, "__kmpc_barrier")) barriers.push_back(llvm::cast<llvm::CallInst>(at));
    if (!is_unnoticed(*at)) break;
  }
  // The one after it is met by all threads: by those that get 0 at once, and by the others right
  // after they have ended the reduction.
  auto* rest = const_cast<llvm::BasicBlock*>(rest_of(reduce));
  if (rest == nullptr) return barriers;
  for (llvm::BasicBlock* from : llvm::predecessors(rest)) {
    if (from == reduce.getParent()) continue;
    const llvm::Instruction* last = before(*from->getTerminator());
    if (last == nullptr || !is_call_of(*last, "__kmpc_end_reduce")) return barriers;
  }
  for (llvm::Instruction& at : *rest) {
    if (is_call_of(at, "__kmpc_barrier")) barriers.push_back(llvm::cast<llvm::CallInst>(&at));
    if (!is_unnoticed(at)) break;
  }
  return barriers;
}

}  // namespace weft::pass
