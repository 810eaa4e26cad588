// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Emits the calls of base/compiler_abi.h that do an atomic operation across nodes.
#pragma once

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/pass/atomics/library_call.hpp"
#include "compiler/pass/atomics/waiting_loads.hpp"

namespace weft::pass {

// For one function. Values go through a few slots in the function's frame, which all operations of
// the function share.
class SlowPath {
 public:
  explicit SlowPath(llvm::Function& function);

  // Emits at the builder's place what is to be done instead of `operation`; returns the value that
  // takes its place, or null if it has none or nobody uses it.
  llvm::Value* emit(llvm::IRBuilder<>& builder, llvm::Instruction& operation);
  // Before the first of them: one that will be emitted.
  void announce(llvm::Instruction& operation);

 private:
  void emit_fence(llvm::IRBuilder<>& builder, llvm::FenceInst& fence);
  llvm::Value* emit_load(llvm::IRBuilder<>& builder, llvm::LoadInst& load);
  llvm::Value* emit_store(llvm::IRBuilder<>& builder, llvm::StoreInst& store);
  llvm::Value* emit_update(llvm::IRBuilder<>& builder, llvm::AtomicRMWInst& update);
  llvm::Value* emit_compare_exchange(llvm::IRBuilder<>& builder, llvm::AtomicCmpXchgInst& exchange);
  llvm::Value* emit_update_loop(llvm::IRBuilder<>& builder, llvm::AtomicRMWInst& update);
  llvm::Value* emit_generic_call(llvm::IRBuilder<>& builder, llvm::CallBase& call,
                                 const LibraryCall& form);
  llvm::Value* emit_sized_call(llvm::IRBuilder<>& builder, llvm::CallBase& call,
                               const LibraryCall& form);

  // Calls of the run-time functions; sizes, orders and results are i32.
  void call_load(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* out,
                 llvm::Value* size, llvm::Value* order);
  void call_store(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* value,
                  llvm::Value* size, llvm::Value* order);
  void call_update(llvm::IRBuilder<>& builder, llvm::Value* pointer, llvm::Value* operand,
                   llvm::Value* old, llvm::Value* size, unsigned operation, unsigned type,
                   llvm::Value* order);
  llvm::Value* call_compare_exchange(llvm::IRBuilder<>& builder, llvm::Value* pointer,
                                     llvm::Value* expected, llvm::Value* desired, llvm::Value* size,
                                     llvm::Value* success, llvm::Value* failure);
  llvm::Value* call(llvm::IRBuilder<>& builder, const char* name,
                    llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result = nullptr);

  enum Slot { kOperand, kResult, kSlots };
  llvm::AllocaInst* slot(Slot which);
  llvm::Value* put(llvm::IRBuilder<>& builder, Slot which, llvm::Value* value);
  llvm::ConstantInt* number(unsigned value);
  llvm::ConstantInt* order_of(const llvm::Instruction& operation, llvm::AtomicOrdering given,
                              llvm::AtomicOrdering beside_barrier);
  llvm::ConstantInt* size_of(llvm::Type* type);

  llvm::Function& function_;
  llvm::SmallPtrSet<const llvm::Instruction*, 8> beside_barriers_;  // before anything changed
  WaitingLoads waiting_loads_;
  llvm::AllocaInst* slots_[kSlots] = {};
};

}  // namespace weft::pass
