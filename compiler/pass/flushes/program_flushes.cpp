// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/flushes/program_flushes.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>

#include "compiler/pass/calls/surroundings.hpp"

namespace weft::pass {
namespace {

bool is_flush(const llvm::Instruction& instruction) {
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) {
    return fence->getSyncScopeID() == llvm::SyncScope::System &&
           llvm::isAcquireOrStronger(fence->getOrdering());
  }
  return is_call_of(instruction, "__kmpc_flush");
}

// A flush that the program has given a name of its own.
bool only_flushes(const llvm::Function* function) {
  if (function == nullptr || function->isDeclaration()) return false;
  bool flushes = false;
  for (const llvm::Instruction& instruction : llvm::instructions(*function)) {
    const bool flush = is_flush(instruction);
    flushes |= flush;
    if (!flush && llvm::isa<llvm::CallBase>(instruction) &&
        !llvm::isa<llvm::IntrinsicInst>(instruction)) {
      return false;
    }
  }
  return flushes;
}

}  // namespace

bool flushes(const llvm::Instruction& instruction) {
  if (is_flush(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call != nullptr && only_flushes(call->getCalledFunction());
}

}  // namespace weft::pass
