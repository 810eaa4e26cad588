// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/compiler_barriers.hpp"

#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
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

}  // namespace

bool has_compiler_barrier(const llvm::Function& function) {
  return llvm::any_of(llvm::instructions(function), is_compiler_barrier);
}

}  // namespace weft::pass
