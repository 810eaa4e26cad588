// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/placing.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>

#include "compiler/pass/ranges/declarations.hpp"
#include "compiler/pass/ranges/divisors.hpp"

namespace weft::pass {
namespace {

llvm::Instruction& place_of(const Write& write, const Level& level) {
  return level.loop == nullptr ? *write.by.front()
                               : *level.loop->getLoopPreheader()->getTerminator();
}

// Where a guard does not hold, other values and guards may have none.
llvm::Value* with_some_value(llvm::Value* value, llvm::IRBuilder<>& builder) {
  return llvm::isGuaranteedNotToBeUndefOrPoison(value) ? value : builder.CreateFreeze(value);
}

}  // namespace

Placing::Placing(llvm::ScalarEvolution& evolution)
    : evolution_(evolution), expander_(evolution, "weft.range") {}

bool Placing::place(const Write& write, llvm::ArrayRef<Level> levels) {
  llvm::Value* holds = place_at(write, levels.back(), nullptr);
  if (holds == nullptr) return false;
  const Level& innermost = levels.front();
  const bool may_be_enough =
      evolution_.getUnsignedRangeMax(innermost.range.bytes).uge(fewest_bytes());
  if (levels.size() > 1 && levels.back().is_conditional() && may_be_enough) {
    place_at(write, innermost, holds);
  }
  return true;
}

llvm::Value* Placing::place_at(const Write& write, Level level, llvm::Value* unless) {
  llvm::Instruction& place = place_of(write, level);
  // Control that comes here makes the stores, so it has computed, or will, where they are.
  if (level.guards.empty()) {
    NonZeroDivisors divisors(evolution_);
    level.range = {divisors.visit(level.range.first), divisors.visit(level.range.bytes)};
  }
  if (!is_possible(level, place)) return nullptr;
  llvm::IRBuilder<> builder(&place);
  builder.SetCurrentDebugLocation(write.by.front()->getDebugLoc());
  llvm::Value* first = expand(level.range.first, builder);
  llvm::Value* bytes = with_some_value(expand(level.range.bytes, builder), builder);
  llvm::Value* holds = condition(builder, level, first, bytes);
  if (unless != nullptr) holds = builder.CreateAnd(builder.CreateNot(unless), holds);
  put_declaration(builder, first, bytes, holds, write.by);
  return holds;
}

bool Placing::is_possible(const Level& level, const llvm::Instruction& place) {
  const auto is_safe = [&](const llvm::SCEV* value) {
    return expander_.isSafeToExpandAt(value, &place);
  };
  const auto is_safe_index = [&](const llvm::SCEVPredicate* no_wrap) {
    const auto* index = llvm::cast<llvm::SCEVWrapPredicate>(no_wrap)->getExpr();
    const llvm::SCEV* again = evolution_.getBackedgeTakenCount(index->getLoop());
    return is_safe(index->getStart()) && is_safe(index->getStepRecurrence(evolution_)) &&
           is_safe(again);
  };
  return llvm::all_of(level.no_wraps, is_safe_index) &&
         llvm::all_of(level.of_reads.no_wraps, is_safe_index) && is_safe(level.range.first) &&
         is_safe(level.range.bytes) &&
         llvm::all_of(
             level.equalities,
             [&](const Equality& each) { return is_safe(each.step) && is_safe(each.bytes); }) &&
         llvm::all_of(level.of_reads.apart, [&](const Interval& each) {
           return is_safe(each.first) && is_safe(each.bytes);
         });
}

llvm::Value* Placing::condition(llvm::IRBuilder<>& builder, const Level& level, llvm::Value* first,
                                llvm::Value* bytes) {
  llvm::Value* all = builder.getTrue();
  for (const Guard& guard : level.guards) {
    llvm::Value* holds = with_some_value(guard.condition, builder);
    all = builder.CreateAnd(all, guard.expected ? holds : builder.CreateNot(holds));
  }
  for (const Equality& equality : level.equalities) {
    llvm::Value* equal =
        builder.CreateICmpEQ(expand(equality.step, builder), expand(equality.bytes, builder));
    all = builder.CreateAnd(all, with_some_value(equal, builder));
  }
  for (const auto* no_wraps : {&level.no_wraps, &level.of_reads.no_wraps}) {
    for (const llvm::SCEVPredicate* no_wrap : *no_wraps) {
      llvm::Value* wraps = expander_.expandCodeForPredicate(no_wrap, &*builder.GetInsertPoint());
      all = builder.CreateAnd(all, with_some_value(builder.CreateNot(wraps), builder));
    }
  }
  return level.of_reads.apart.empty() ? all
                                      : builder.CreateAnd(all, apart(builder, level, first, bytes));
}

// Neither begins inside the other, counted around the whole address space: so it does not matter
// whether an end wraps around.
llvm::Value* Placing::apart(llvm::IRBuilder<>& builder, const Level& level, llvm::Value* first,
                            llvm::Value* bytes) {
  llvm::Value* all = builder.getTrue();
  llvm::Value* begin = builder.CreatePtrToInt(first, builder.getInt64Ty());
  for (const Interval& each : level.of_reads.apart) {
    llvm::Value* other = builder.CreatePtrToInt(expand(each.first, builder), builder.getInt64Ty());
    llvm::Value* other_bytes = expand(each.bytes, builder);
    llvm::Value* apart =
        builder.CreateAnd(builder.CreateICmpUGE(builder.CreateSub(begin, other), other_bytes),
                          builder.CreateICmpUGE(builder.CreateSub(other, begin), bytes));
    all = builder.CreateAnd(all, with_some_value(apart, builder));
  }
  return all;
}

llvm::Value* Placing::expand(const llvm::SCEV* value, llvm::IRBuilder<>& builder) {
  return expander_.expandCodeFor(value, value->getType(), builder.GetInsertPoint());
}

}  // namespace weft::pass
