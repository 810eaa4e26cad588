// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Stretches of memory as the compiler can compute them before a loop.
#pragma once

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <optional>

namespace weft::pass {

struct Interval {
  const llvm::SCEV* first = nullptr;  // a pointer
  const llvm::SCEV* bytes = nullptr;  // of 64 bits
};

// How often the loop goes back to its beginning, in 64 bits: one less than its iterations. Null if
// that cannot be computed before the loop.
const llvm::SCEV* repetitions(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

// The iterations themselves.
const llvm::SCEV* iterations(const llvm::Loop& loop, llvm::ScalarEvolution& evolution);

// Conditions under which an index does not wrap around in a loop.
using NoWraps = llvm::SmallVectorImpl<const llvm::SCEVPredicate*>;

// The address as one that advances by the same step in each iteration of the loop; null if it does
// not. What that depends on, such as that an index of 32 bits does not overflow, is added.
const llvm::SCEVAddRecExpr* advancing(const llvm::SCEV* address, const llvm::Loop& loop,
                                      llvm::ScalarEvolution& evolution, NoWraps& no_wraps);

// Whether such a condition is the same as long as the loop runs.
bool is_known_before(const llvm::SCEVPredicate* no_wrap, const llvm::Loop& loop,
                     llvm::ScalarEvolution& evolution);

// All bytes between the lowest and the highest that accesses of `bytes` at `first` touch while the
// outermost loop runs. `each_time`: in each iteration of all loops. Nothing if that is not known,
// or if computing it might wrap around.
std::optional<Interval> swept(Interval access, const llvm::Loop& innermost,
                              const llvm::Loop& outermost, bool each_time,
                              llvm::ScalarEvolution& evolution, NoWraps& no_wraps);

enum class Overlap { kNever, kAlways, kSometimes };

// Of a read's interval and a range that is to be declared, so of some pages at least.
Overlap overlap(const Interval& read, const Interval& range, llvm::ScalarEvolution& evolution);

// What the compiler leaves to the program: intervals that must not overlap the range. Those at
// constant distances from each other are joined.
void add_interval(llvm::SmallVectorImpl<Interval>& intervals, const Interval& added,
                  llvm::ScalarEvolution& evolution);

// What the program finds out by itself, before a range is declared.
struct Conditions {
  llvm::SmallVector<Interval, 4> apart;  // read, and no part of the range
  llvm::SmallVector<const llvm::SCEVPredicate*, 2> no_wraps;
};

}  // namespace weft::pass
