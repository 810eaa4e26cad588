// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Puts declarations into the program, with the comparisons that they depend on.
#pragma once

#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

#include "compiler/pass/ranges/levels.hpp"

namespace weft::pass {

class Placing {
 public:
  explicit Placing(llvm::ScalarEvolution& evolution);

  // At the outermost of the places; and, where something must hold there, at the innermost for
  // when it does not. False if the values are not to be had at the outermost.
  bool place(const Write& write, llvm::ArrayRef<Level> levels);

 private:
  // Returns the condition; null if nothing was placed.
  llvm::Value* place_at(const Write& write, Level level, llvm::Value* unless);
  bool is_possible(const Level& level, const llvm::Instruction& place);
  llvm::Value* condition(llvm::IRBuilder<>& builder, const Level& level, llvm::Value* first,
                         llvm::Value* bytes);
  llvm::Value* apart(llvm::IRBuilder<>& builder, const Level& level, llvm::Value* first,
                     llvm::Value* bytes);
  llvm::Value* expand(const llvm::SCEV* value, llvm::IRBuilder<>& builder);

  llvm::ScalarEvolution& evolution_;
  llvm::SCEVExpander expander_;
};

}  // namespace weft::pass
