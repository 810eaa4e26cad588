// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// -Rpass=weft and -Rpass-missed=weft: what was declared, and what was not and why. Of one place in
// a function each is said once: loops that are unrolled have copies of it.
#pragma once

#include <llvm/ADT/StringSet.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include <string>

#include "compiler/pass/ranges/levels.hpp"

namespace weft::pass {

class Remarks {
 public:
  explicit Remarks(llvm::OptimizationRemarkEmitter& emitter) : emitter_(emitter) {}

  void declared(const Write& write, const Level& level);
  void missed(const llvm::Instruction& writer, llvm::StringRef why);
  // The access, and others beside it, are asked for before the loop.
  void prefetched(const llvm::Instruction& access, const llvm::Loop& loop);
  // The same by the subscripts that the loop will load.
  void by_subscripts(const llvm::Instruction& access, const llvm::Loop& loop);
  void not_prefetched(const llvm::Instruction& access, llvm::StringRef why);

 private:
  // Whether somebody listens, and has not heard it.
  bool is_news(const llvm::Instruction& of, const std::string& what);

  llvm::OptimizationRemarkEmitter& emitter_;
  llvm::StringSet<> said_;
};

}  // namespace weft::pass
