// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A use of a called function's (callees.hpp) by the numbers of the function that calls it: its
// values are computed before the call once more, from the actual arguments. Loop analyses of the
// caller then see how they move, as they do for its own accesses. Loads become hints, or the value
// that the caller last stored there: Fortran's arguments are addresses of variables.
//
// The computations are taken out again at the end (Callees::remove). Rejected: to translate SCEVs
// of one function into SCEVs of the other, as analyses of both would have to be kept.
#pragma once

#include <llvm/IR/Dominators.h>

#include <optional>

#include "compiler/pass/prefetches/callees.hpp"

namespace llvm {
class LoopInfo;
}

namespace weft::pass {

class Translation {
 public:
  Translation(llvm::CallBase& call, const llvm::DominatorTree& dominators,
              const llvm::LoopInfo& loops, Callees& callees)
      : call_(call), dominators_(dominators), loops_(loops), callees_(callees), builder_(&call) {}

  // Nothing if a value is not made of arguments, constants and globals, or of too many.
  std::optional<Use> of(const Use& use);

 private:
  llvm::Value* of(llvm::Value* value);
  llvm::Value* computed_again(llvm::Instruction& instruction);
  llvm::Value* loaded(llvm::Value* from, llvm::Instruction& load);
  bool is_last_store(const llvm::StoreInst& store, const llvm::AllocaInst& variable) const;
  // What the caller has last stored to a variable of its own, as far as one can guess. Nothing if
  // there is no such store; null if it depends on the way to the call.
  std::optional<llvm::Value*> stored(llvm::Value* to, llvm::Type* type);

  llvm::CallBase& call_;
  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  Callees& callees_;
  llvm::IRBuilder<> builder_;
  llvm::DenseMap<llvm::Value*, llvm::Value*> known_;
};

}  // namespace weft::pass
