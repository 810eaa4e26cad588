// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an expression will be in a loop, as far as one can guess before it. Guesses suffice for a
// hint: no index wraps around, no divisor and dividend are negative, and what is loaded from the
// same address in each iteration is the same each time, whoever may store there.
//
// A value that the loop loads is loaded before it by a call of `weft.hint`, which does not fault
// whatever its address is. It becomes __weft_hint_load when the pass is done.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Transforms/Utils/ScalarEvolutionExpander.h>

namespace weft::pass {

class Hints {
 public:
  explicit Hints(llvm::ScalarEvolution& evolution)
      : evolution_(evolution), expander_(evolution, "weft.hint") {}

  // With all that the loop loads from an address that is known before it, loaded before it; and
  // with integers of 64 bits.
  const llvm::SCEV* before(const llvm::SCEV* value, const llvm::Loop& loop);

  // The iterations of the loop, of 64 bits. Null if one cannot guess.
  const llvm::SCEV* iterations(const llvm::Loop& loop);

  // The same as `before`, of an integer, in 64 bits.
  const llvm::SCEV* whole(const llvm::SCEV* value, const llvm::Loop& loop);

  // The loads, some of which may turn out to be of no use.
  [[nodiscard]] llvm::ArrayRef<llvm::Value*> made() const { return made_; }

 private:
  class Rewriter;

  llvm::Value* load_before(llvm::Instruction& load, const llvm::SCEV* pointer,
                           const llvm::Loop& loop);
  const llvm::SCEV* guess_iterations(const llvm::Loop& loop);

  llvm::ScalarEvolution& evolution_;
  llvm::SCEVExpander expander_;
  // By address and type, the type of the value that is made of it, and the loop.
  using Load = std::pair<std::pair<const llvm::SCEV*, llvm::Type*>,
                         std::pair<llvm::Type*, const llvm::Loop*>>;
  llvm::DenseMap<Load, llvm::Value*> loads_;
  llvm::SmallVector<llvm::Value*, 8> made_;
};

}  // namespace weft::pass
