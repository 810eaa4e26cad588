// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/compiler_barriers.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/Instructions.h>

namespace weft::pass {
namespace {

// With operands it holds back values from the optimiser, as benchmarks do.
bool is_empty_statement(const llvm::CallBase& call) {
  const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  return assembly != nullptr && call.arg_empty() && call.getType()->isVoidTy() &&
         llvm::StringRef(assembly->getAsmString()).trim().empty() &&
         llvm::StringRef(assembly->getConstraintString()).contains("~{memory}");
}

bool is_compiler_barrier(const llvm::Instruction& instruction) {
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    return fence->getSyncScopeID() == llvm::SyncScope::SingleThread;
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && is_empty_statement(*call);
}

// Whoever passes it is beside that, and no more beside what comes on the other side.
bool is_for_threads(const llvm::Instruction& instruction) {
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    return fence->getSyncScopeID() == llvm::SyncScope::System;
  }
  return instruction.isAtomic();
}

enum class Way { kBefore, kBehind };

const llvm::Instruction* next(const llvm::Instruction& from, Way way) {
  return way == Way::kBefore ? from.getPrevNode() : from.getNextNode();
}

bool finds_barrier(const llvm::Instruction& operation, Way way) {
  llvm::SmallPtrSet<const llvm::BasicBlock*, 8> seen;
  llvm::SmallVector<const llvm::Instruction*, 8> places = {next(operation, way)};
  llvm::SmallVector<const llvm::BasicBlock*, 8> blocks = {operation.getParent()};
  while (!blocks.empty()) {
    const llvm::BasicBlock* const block = blocks.pop_back_val();
    const llvm::Instruction* at = places.pop_back_val();
    for (; at != nullptr && !is_for_threads(*at); at = next(*at, way)) {
      if (is_compiler_barrier(*at)) return true;
    }
    if (at != nullptr) continue;
    const auto add = [&](const llvm::BasicBlock* other) {
      if (!seen.insert(other).second) return;
      blocks.push_back(other);
      places.push_back(way == Way::kBefore ? &other->back() : &other->front());
    };
    if (way == Way::kBefore) {
      for (const llvm::BasicBlock* each : llvm::predecessors(block)) add(each);
    } else {
      for (const llvm::BasicBlock* each : llvm::successors(block)) add(each);
    }
  }
  return false;
}

}  // namespace

bool is_beside_compiler_barrier(const llvm::Instruction& operation) {
  return finds_barrier(operation, Way::kBefore) || finds_barrier(operation, Way::kBehind);
}

}  // namespace weft::pass
