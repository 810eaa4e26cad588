// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/bodies.hpp"

#include <llvm/IR/IntrinsicInst.h>

namespace weft::pass {
namespace {

using Scopes = llvm::SmallPtrSet<const llvm::MDNode*, 4>;

// It returns, and nobody can tell that it was called: it neither synchronises nor uses memory of
// the program's. (errno is the thread's own.)
bool is_harmless(const llvm::CallBase& call) {
  if (!call.doesNotThrow() || !call.willReturn()) return false;
  const llvm::MemoryEffects effects = call.getMemoryEffects();
  if (effects.onlyAccessesErrnoMem()) return true;
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
  if (intrinsic == nullptr) return false;
  return effects.onlyAccessesInaccessibleMem() || intrinsic->isLifetimeStartOrEnd() ||
         intrinsic->getIntrinsicID() == llvm::Intrinsic::prefetch;
}

const char* obstacle_in(const llvm::Instruction& instruction) {
  if (!instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::CallBase>(instruction)) {
    return nullptr;
  }
  if (instruction.isAtomic()) return "an atomic operation in the loop";
  if (instruction.isVolatile()) return "a volatile access in the loop";
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return nullptr;
  if (llvm::isa<llvm::MemIntrinsic>(instruction)) return nullptr;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && is_harmless(*call) ? nullptr : "a call in the loop";
}

// Scopes that a loop opens anew in each iteration say nothing of two different iterations.
llvm::MDNode* beyond_iterations(llvm::MDNode* list, const Scopes& opened) {
  if (list == nullptr) return nullptr;
  const bool is_lasting = llvm::none_of(list->operands(), [&](const llvm::MDOperand& scope) {
    return opened.contains(llvm::dyn_cast<llvm::MDNode>(scope));
  });
  return is_lasting ? list : nullptr;
}

Scopes scopes_opened_in(const llvm::Loop& loop) {
  Scopes opened;
  for (const llvm::BasicBlock* block : loop.blocks()) {
    for (const llvm::Instruction& instruction : *block) {
      const auto* scope = llvm::dyn_cast<llvm::NoAliasScopeDeclInst>(&instruction);
      if (scope == nullptr) continue;
      for (const llvm::MDOperand& each : scope->getScopeList()->operands()) {
        opened.insert(llvm::cast<llvm::MDNode>(each));
      }
    }
  }
  return opened;
}

std::unique_ptr<Body> make_body(const llvm::Loop& loop) {
  auto body = std::make_unique<Body>();
  if (!loop.isLoopSimplifyForm() || loop.getExitingBlock() != loop.getLoopLatch()) {
    body->obstacle = "the loop may end before it has stored everything";
    return body;
  }
  const Scopes opened = scopes_opened_in(loop);
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& instruction : *block) {
      body->obstacle = obstacle_in(instruction);
      if (body->obstacle != nullptr) return body;
      if (!llvm::isa<llvm::LoadInst, llvm::MemTransferInst>(instruction)) continue;
      Read read = read_of(instruction);
      llvm::AAMDNodes& tags = read.where.AATags;
      tags.Scope = beyond_iterations(tags.Scope, opened);
      tags.NoAlias = beyond_iterations(tags.NoAlias, opened);
      body->reads.push_back(read);
    }
  }
  return body;
}

}  // namespace

Read read_of(llvm::Instruction& instruction) {
  const llvm::MemoryLocation here =
      llvm::isa<llvm::LoadInst>(instruction)
          ? llvm::MemoryLocation::get(&llvm::cast<llvm::LoadInst>(instruction))
          : llvm::MemoryLocation::getForSource(&llvm::cast<llvm::MemTransferInst>(instruction));
  return {&instruction, llvm::MemoryLocation::getBeforeOrAfter(here.Ptr, here.AATags)};
}

const Body& Bodies::of(const llvm::Loop& loop) {
  std::unique_ptr<Body>& body = bodies_[&loop];
  if (body == nullptr) body = make_body(loop);
  return *body;
}

}  // namespace weft::pass
