// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a loop reads bytes of a range before it has overwritten them.
#pragma once

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>

#include "compiler/pass/ranges/bodies.hpp"
#include "compiler/pass/ranges/intervals.hpp"
#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {

// In which order the addresses of a range are written.
enum class Order { kUpwards, kDownwards, kOther };

class Reads {
 public:
  Reads(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
        const llvm::LoopInfo& loops, llvm::AAResults& aliases)
      : evolution_(evolution), dominators_(dominators), loops_(loops), aliases_(aliases) {}

  // Null if none of the reads, of which all but a copy's own are in the loop, needs the range's
  // bytes as they were, provided that what is added to `conditions` holds. Otherwise why not.
  const char* obstacle(const Write& write, const Interval& range, Order order,
                       const llvm::Loop* loop, llvm::ArrayRef<Read> reads, Conditions& conditions);

 private:
  bool is_elsewhere(const Write& write, const Read& read);
  bool is_just_stored(const Write& write, llvm::LoadInst& load);
  bool is_behind(const Write& write, const Read& read, Order order);
  bool is_each_time(const llvm::Instruction& by, const llvm::Loop& loop) const;
  std::optional<Interval> interval_of(const Read& read, const llvm::Loop* loop, NoWraps& no_wraps);

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  const llvm::LoopInfo& loops_;
  llvm::AAResults& aliases_;
};

}  // namespace weft::pass
