// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/callees.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/Transforms/Utils/Local.h>

namespace weft::pass {
namespace {

// The only function that a call can come to, if its code is here.
const llvm::Function* known_callee(const llvm::CallBase& call) {
  const llvm::Function* called = call.getCalledFunction();
  return called == nullptr || called->isDeclaration() || called->isInterposable() ? nullptr
                                                                                  : called;
}

bool is_synchronising_name(llvm::StringRef called) {
  static constexpr const char* kAcquiring[] = {
      "__kmpc_barrier",       "__kmpc_critical",  "__kmpc_ordered",  "__kmpc_fork",
      "__kmpc_single",        "__kmpc_reduce",    "__kmpc_omp_task", "__kmpc_flush",
      "__kmpc_doacross_wait", "__kmpc_taskloop",  "omp_set_",        "omp_test_",
      "pthread_mutex_",       "pthread_barrier_", "pthread_cond_",   "__kmpc_dispatch_next"};
  return llvm::any_of(kAcquiring, [&](const char* name) { return called.starts_with(name); });
}

}  // namespace

bool Use::covers(const Use& other) const {
  const auto is_same = [](const PrefetchValues::Stride& one, const PrefetchValues::Stride& two) {
    return one.bytes == two.bytes && one.count == two.count;
  };
  return values.first == other.values.first && values.bytes == other.values.bytes &&
         llvm::equal(values.strides, other.values.strides, is_same) &&
         values.stores >= other.values.stores && conditions == other.conditions &&
         levels <= other.levels;
}

bool Callees::synchronises(const llvm::Instruction& instruction) const {
  if (instruction.isAtomic()) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    return store == nullptr && (load == nullptr || llvm::isAcquireOrStronger(load->getOrdering()));
  }
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  const llvm::Function* called = call == nullptr ? nullptr : call->getCalledFunction();
  return called != nullptr &&
         (synchronising_.contains(called) || is_synchronising_name(called->getName()));
}

void Callees::look_at(const llvm::Function& function) {
  if (llvm::any_of(llvm::instructions(function),
                   [&](const auto& each) { return synchronises(each); }))
    synchronising_.insert(&function);
}

bool Callees::are_of_use(const llvm::Function& function) const {
  const auto calls_it = [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && known_callee(*call) == &function;
  };
  return !function.isVarArg() && !recursive_.contains(&function) &&
         llvm::any_of(function.users(), calls_it);
}

void Callees::add(const llvm::Function& function, llvm::ArrayRef<Use> uses) {
  if (!uses.empty()) uses_[&function].append(uses.begin(), uses.end());
}

llvm::ArrayRef<Use> Callees::uses_of(const llvm::CallBase& call) const {
  const llvm::Function* called = known_callee(call);
  if (called == nullptr || call.getFunctionType() != called->getFunctionType()) return {};
  const auto found = uses_.find(called);
  return found == uses_.end() ? llvm::ArrayRef<Use>() : found->second;
}

void Callees::remove() {
  // Each with the computation of its operands, of which others may be a part.
  for (llvm::WeakTrackingVH& each : temporary_) {
    if (llvm::Value* value = each) llvm::RecursivelyDeleteTriviallyDeadInstructions(value);
  }
}

}  // namespace weft::pass
