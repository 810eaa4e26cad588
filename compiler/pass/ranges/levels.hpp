// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far outwards a write can be declared: before itself, before the loop around it, before the
// loop around that.
#pragma once

#include "compiler/pass/ranges/guards.hpp"
#include "compiler/pass/ranges/reads.hpp"

namespace weft::pass {

// Two numbers of bytes that must be equal for rows to follow each other without a gap.
struct Equality {
  const llvm::SCEV* step;
  const llvm::SCEV* bytes;
};

// A place where a range can be declared, and what must hold there.
struct Level {
  const llvm::Loop* loop = nullptr;  // null: before the copy itself
  Interval range;
  Order order = Order::kOther;
  llvm::SmallVector<Guard, 2> guards;
  llvm::SmallVector<Equality, 2> equalities;
  Conditions of_reads;
  llvm::SmallVector<const llvm::SCEVPredicate*, 2> no_wraps;

  [[nodiscard]] bool is_conditional() const {
    return !guards.empty() || !equalities.empty() || !of_reads.apart.empty() ||
           !of_reads.no_wraps.empty() || !no_wraps.empty();
  }
};

class Levels {
 public:
  Levels(llvm::ScalarEvolution& evolution, const llvm::DominatorTree& dominators,
         const llvm::LoopInfo& loops, llvm::AAResults& aliases)
      : evolution_(evolution),
        dominators_(dominators),
        reads_(evolution, dominators, loops, aliases) {}

  // The places for a write in `loop` (null: in none), from the innermost to the outermost. Returns
  // why there are no more.
  const char* find(const Write& write, const llvm::Loop* loop, llvm::SmallVectorImpl<Level>& found);

 private:
  const char* check_copy(const Write& write, Level& level);
  const char* extend(const Write& write, const llvm::Loop& loop, Level& level);
  const char* extend_range(const llvm::Loop& loop, Level& level);
  const llvm::BasicBlock* block_of(const Write& write, const Level& level) const;

  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  Reads reads_;
  Bodies bodies_;
};

}  // namespace weft::pass
