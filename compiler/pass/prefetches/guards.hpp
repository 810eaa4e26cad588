// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Branches before loops that may have no iterations.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Instructions.h>

#include "compiler/pass/prefetches/hints.hpp"

namespace weft::pass {

class Guards {
 public:
  Guards(llvm::ScalarEvolution& evolution, Hints& hints) : evolution_(evolution), hints_(hints) {}

  // Whether the condition, as `expected`, says no more than that the loop, or loops in it, have
  // iterations; as far as one can guess before `outermost`, which may be the loop.
  bool only_guards(llvm::Value& condition, bool expected, const llvm::Loop& loop,
                   const llvm::Loop& outermost);

 private:
  bool is_guard(const llvm::ICmpInst& compared, bool expected, const llvm::Loop& loop,
                const llvm::Loop& outermost);
  const llvm::SCEV* way(const llvm::SCEV* left, const llvm::SCEV* right,
                        llvm::CmpInst::Predicate holds);

  llvm::ScalarEvolution& evolution_;
  Hints& hints_;
};

}  // namespace weft::pass
