// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of a module as loops that call them see them: which memory they use, and whether
// they synchronise. Functions are looked at before those that call them.
//
// Only functions that do not call themselves, and that the linker does not replace by others, are
// known to use anything.
#pragma once

#include <llvm/ADT/DenseSet.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/ValueHandle.h>

#include "compiler/pass/prefetch_calls/markers.hpp"

namespace weft::pass {

// Memory that a function's loops use, all of which is known when the function is called.
struct Use {
  PrefetchValues values;  // the function's, made of its arguments, constants and globals
  llvm::SmallVector<llvm::Value*, 2> conditions;  // of branches that lead there
  unsigned levels = 0;  // of calls from a caller of the function to the accesses

  // Whether this says all that the other one does.
  [[nodiscard]] bool covers(const Use& other) const;
};

class Callees {
 public:
  // What others have written is there behind such an instruction, and may not have been before it.
  [[nodiscard]] bool synchronises(const llvm::Instruction& instruction) const;

  // Functions that call each other in a circle.
  void note_recursive(const llvm::Function& function) { recursive_.insert(&function); }
  // Before uses of the function are added.
  void look_at(const llvm::Function& function);
  // Whether uses of the function are of use to anybody.
  [[nodiscard]] bool are_of_use(const llvm::Function& function) const;
  void add(const llvm::Function& function, llvm::ArrayRef<Use> uses);

  [[nodiscard]] llvm::ArrayRef<Use> uses_of(const llvm::CallBase& call) const;

  // Values that only uses need stay until all functions have been looked at.
  void remove_later(llvm::Value* value) { temporary_.emplace_back(value); }
  void remove();

 private:
  llvm::DenseSet<const llvm::Function*> recursive_, synchronising_;
  llvm::DenseMap<const llvm::Function*, llvm::SmallVector<Use, 4>> uses_;
  llvm::SmallVector<llvm::WeakTrackingVH, 32> temporary_;
};

}  // namespace weft::pass
