// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/shapes.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <cstdlib>

#include "base/compiler_abi.h"
#include "compiler/pass/prefetches/subscripts.hpp"
#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {
namespace {

// The only division by something that is the same all the time, of what the loop counts.
struct FindQuotient {
  const llvm::Loop& loop;
  llvm::ScalarEvolution& evolution;
  const llvm::SCEVUDivExpr* found = nullptr;
  bool is_only_one = true;

  bool follow(const llvm::SCEV* value) {
    const auto* quotient = llvm::dyn_cast<llvm::SCEVUDivExpr>(value);
    if (quotient == nullptr || evolution.isLoopInvariant(quotient, &loop)) return true;
    if (found != nullptr && found != quotient) is_only_one = false;
    found = quotient;
    return false;
  }
  [[nodiscard]] bool isDone() const { return !is_only_one; }
};

class ReplaceQuotient : public llvm::SCEVRewriteVisitor<ReplaceQuotient> {
 public:
  ReplaceQuotient(llvm::ScalarEvolution& evolution, const llvm::SCEV* replaced,
                  const llvm::SCEV* by)
      : SCEVRewriteVisitor(evolution), replaced_(replaced), by_(by) {}
  const llvm::SCEV* visitUDivExpr(const llvm::SCEVUDivExpr* value) {
    return value == replaced_ ? by_ : SCEVRewriteVisitor::visitUDivExpr(value);
  }

 private:
  const llvm::SCEV* replaced_;
  const llvm::SCEV* by_;
};

bool follows_subscripts() {
  const char* value = std::getenv("WEFT_SUBSCRIPTS");
  return value == nullptr || llvm::StringRef(value) != "off";
}

// Of which the wider shape skips the empty ones.
bool has_new_row(const Shape& shape, const Shape& wider) {
  const std::size_t more = wider.indirections.size() - shape.indirections.size();
  return more != 0 && wider.indirections[more - 1].counted != 0;
}

// `n > 0`, where the number of iterations is loaded again and again.
bool asks_for_any(const llvm::Value& condition) {
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(&condition);
  if (compared == nullptr || !compared->isSigned()) return false;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(compared->getOperand(1));
  return number != nullptr && (number->isZero() || number->isOne());
}

}  // namespace

std::optional<Shape> Shapes::of(llvm::Instruction& access) {
  Shape shape;
  shape.bytes = bytes_of_access(access, evolution_);
  if (shape.bytes == nullptr) return std::nullopt;
  shape.first = evolution_.getSCEV(llvm::getLoadStorePointerOperand(&access));
  return shape;
}

Shape Shapes::of(const Use& use) {
  Shape shape;
  shape.first = evolution_.getSCEV(use.values.first);
  shape.bytes = evolution_.getSCEV(use.values.bytes);
  for (const auto& [bytes, count] : use.values.strides) {
    shape.strides.push_back({evolution_.getSCEV(bytes), evolution_.getSCEV(count)});
  }
  shape.conditions = use.conditions;
  shape.levels = use.levels;
  return shape;
}

std::optional<Shape> Shapes::outwards(Shape shape, const llvm::BasicBlock& block,
                                      const char*& obstacle, bool innermost_only) {
  obstacle = nullptr;
  const llvm::BasicBlock* at = &block;
  for (const llvm::Loop* loop = loops_.getLoopFor(at); loop != nullptr;
       loop = loop->getParentLoop()) {
    obstacle = extend(shape, *loop, *at);
    if (obstacle != nullptr) break;
    shape.loop = loop;
    if (innermost_only && !shape.strides.empty()) break;
    at = loop->getLoopPreheader();
  }
  if (shape.loop == nullptr) return std::nullopt;
  return shape;
}

const char* Shapes::extend(Shape& shape, const llvm::Loop& loop, const llvm::BasicBlock& block) {
  if (const char* obstacle = obstacle_in(loop)) return obstacle;
  constexpr const char* kNotEachTime = "it is not used each time";
  const auto leads_there = [&](llvm::Value* condition) { return is_steady(*condition, loop); };
  const Runs runs = runs_each_time(shape, block, loop);
  if (runs == Runs::kSometimes || !llvm::all_of(shape.conditions, leads_there)) return kNotEachTime;
  const llvm::SCEV* count = hints_.iterations(loop);
  if (count == nullptr) return "the number of iterations is not known before the loop";
  Shape wider = shape;
  const char* obstacle = move(wider, loop, count);
  while (obstacle != nullptr && follows_subscripts()) {
    if (!Subscripts(evolution_, hints_).follow(wider, loop)) break;
    obstacle = move(wider, loop, count);
  }
  if (obstacle != nullptr) return runs == Runs::kEachTime ? obstacle : kNotEachTime;
  if (runs == Runs::kUnlessRowIsEmpty && !has_new_row(shape, wider)) return kNotEachTime;
  shape = wider;
  return nullptr;
}

const char* Shapes::move(Shape& shape, const llvm::Loop& loop, const llvm::SCEV* count) {
  Shape wider = shape;
  const auto is_known = [&](const llvm::SCEV*& value) {
    value = hints_.before(value, loop);
    return evolution_.isLoopInvariant(value, &loop);
  };
  for (Indirection& each : wider.indirections) {
    if (!llvm::all_of(each.values(), [&](const auto** value) { return is_known(*value); }))
      return "rows of different lengths";
  }
  for (Stride& each : wider.strides) {
    if (!is_known(each.bytes) || !is_known(each.count)) return "rows of different lengths";
  }
  const llvm::SCEV* address = hints_.before(shape.first, loop);
  if (evolution_.isLoopInvariant(address, &loop)) {
    wider.first = address;
  } else if (!evolution_.isLoopInvariant(count, &loop)) {
    return "the number of iterations is not known before the loop";
  } else if (wider.strides.size() + 1 > WEFT_MOST_STRIDES) {
    return "too many loops";
  } else if (const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
             moving != nullptr && moving->getLoop() == &loop && moving->isAffine()) {
    const llvm::SCEV* step = moving->getStepRecurrence(evolution_);
    if (!evolution_.isLoopInvariant(step, &loop)) return "the stride changes";
    wider.strides.push_back({step, count});
    wider.first = moving->getStart();
  } else if (wider.strides.size() + 2 > WEFT_MOST_STRIDES ||
             !split_collapsed(wider, address, count, loop)) {
    return "the address does not advance by a stride";
  }
  shape = wider;
  return nullptr;
}

// Of two loops that OpenMP has made one: the address depends on i % n and on i / n. With q = i / n
// and r = i - n q it is start + c r + (b + c n) q, where it advances by c with i alone, and by b
// with q alone.
bool Shapes::split_collapsed(Shape& shape, const llvm::SCEV* address, const llvm::SCEV* count,
                             const llvm::Loop& loop) {
  FindQuotient find{loop, evolution_};
  llvm::SCEVTraversal<FindQuotient>(find).visitAll(address);
  if (find.found == nullptr || !find.is_only_one) return false;
  const auto* index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(find.found->getLHS());
  const llvm::SCEV* divisor = find.found->getRHS();
  if (index == nullptr || index->getLoop() != &loop || !index->isAffine() ||
      !index->getStepRecurrence(evolution_)->isOne() ||
      !evolution_.isLoopInvariant(divisor, &loop)) {
    return false;
  }
  const auto with = [&](const llvm::SCEV* quotient) {
    return ReplaceQuotient(evolution_, find.found, quotient).visit(address);
  };
  const llvm::SCEV* one = evolution_.getOne(divisor->getType());
  const llvm::SCEV* of_zero = with(evolution_.getZero(divisor->getType()));
  const llvm::SCEV* by_quotient = evolution_.getMinusSCEV(with(one), of_zero);
  const auto* by_index = llvm::dyn_cast<llvm::SCEVAddRecExpr>(of_zero);
  const llvm::SCEV* step = by_index == nullptr ? evolution_.getZero(divisor->getType())
                                               : by_index->getStepRecurrence(evolution_);
  const llvm::SCEV* start = by_index == nullptr ? of_zero : by_index->getStart();
  if (llvm::isa<llvm::SCEVCouldNotCompute>(by_quotient) ||
      !evolution_.isLoopInvariant(by_quotient, &loop) || !evolution_.isLoopInvariant(step, &loop) ||
      !evolution_.isLoopInvariant(start, &loop)) {
    return false;
  }
  const llvm::SCEV* lowest = index->getStart();
  const llvm::SCEV* highest = evolution_.getAddExpr(lowest, evolution_.getMinusSCEV(count, one));
  const auto [first_row, rows] = rows_of(lowest, highest, divisor, shape.whole_rows_only);
  const llvm::SCEV* row_step =
      evolution_.getAddExpr(by_quotient, evolution_.getMulExpr(step, divisor));
  shape.first =
      evolution_.getAddExpr(evolution_.getMinusSCEV(start, evolution_.getMulExpr(step, lowest)),
                            evolution_.getMulExpr(row_step, first_row));
  shape.strides.push_back({step, divisor});
  shape.strides.push_back({row_step, rows});
  shape.is_collapsed = true;
  return true;
}

std::pair<const llvm::SCEV*, const llvm::SCEV*> Shapes::rows_of(const llvm::SCEV* lowest,
                                                                const llvm::SCEV* highest,
                                                                const llvm::SCEV* length,
                                                                bool whole_rows_only) {
  const llvm::SCEV* one = evolution_.getOne(length->getType());
  const llvm::SCEV* end = evolution_.getAddExpr(highest, one);
  if (whole_rows_only) {
    const llvm::SCEV* rest = evolution_.getMinusSCEV(length, one);
    const llvm::SCEV* first = evolution_.getUDivExpr(evolution_.getAddExpr(lowest, rest), length);
    const llvm::SCEV* rows = evolution_.getMinusSCEV(evolution_.getUDivExpr(end, length), first);
    return {first, evolution_.getSMaxExpr(rows, evolution_.getZero(length->getType()))};
  }
  const llvm::SCEV* first = evolution_.getUDivExpr(lowest, length);
  const llvm::SCEV* last = evolution_.getUDivExpr(highest, length);
  return {first, evolution_.getAddExpr(evolution_.getMinusSCEV(last, first), one)};
}

// Or in none: branches on the way say the same each time, as the one before a loop that may have no
// iterations.
Shapes::Runs Shapes::runs_each_time(Shape& shape, const llvm::BasicBlock& block,
                                    const llvm::Loop& loop) {
  Runs runs = Runs::kEachTime;
  const llvm::BasicBlock& latch = *loop.getLoopLatch();
  const llvm::BasicBlock* at = &block;
  while (!dominators_.dominates(at, &latch)) {
    const llvm::BasicBlock* above = dominators_.getNode(at)->getIDom()->getBlock();
    const llvm::Loop* around = loops_.getLoopFor(above);
    const auto* branch = llvm::dyn_cast<llvm::BranchInst>(above->getTerminator());
    if (branch == nullptr) return Runs::kSometimes;
    const bool ends_inner_loop = around != &loop && !around->contains(at);
    const bool is_decided = branch->isConditional() && !ends_inner_loop;
    const bool guards_alone = is_decided && only_guards(*branch, *at, loop);
    const bool guards = guards_alone || (is_decided && is_at_guards_place(*branch, *at, loop));
    if (is_decided && !is_steady(*branch->getCondition(), loop)) {
      if (!guards) return Runs::kSometimes;
      runs = Runs::kUnlessRowIsEmpty;
    }
    shape.is_certain &=
        !is_decided || guards_alone || (guards && asks_for_any(*branch->getCondition()));
    at = above;
  }
  return runs;
}

bool Shapes::is_at_guards_place(const llvm::BranchInst& branch, const llvm::BasicBlock& block,
                                const llvm::Loop& loop) {
  for (const llvm::BasicBlock* successor : branch.successors()) {
    for (const llvm::Loop* inner : loop.getSubLoops()) {
      const bool leads_there = successor == &block && inner->getLoopPreheader() == &block;
      if (leads_there || inner->getLoopGuardBranch() == &branch) return true;
    }
  }
  return false;
}

bool Shapes::only_guards(const llvm::BranchInst& branch, const llvm::BasicBlock& block,
                         const llvm::Loop& loop) {
  const bool if_true = branch.getSuccessor(0) == &block;
  if (!if_true && branch.getSuccessor(1) != &block) return false;
  return llvm::any_of(loop.getSubLoops(), [&](const llvm::Loop* inner) {
    return dominators_.dominates(&block, inner->getHeader()) &&
           guards_.only_guards(*branch.getCondition(), if_true, *inner, loop);
  });
}

bool Shapes::is_steady(llvm::Value& condition, const llvm::Loop& loop) {
  if (loop.isLoopInvariant(&condition)) return true;
  if (auto* compared = llvm::dyn_cast<llvm::ICmpInst>(&condition)) {
    return llvm::all_of(compared->operands(), [&](llvm::Value* side) {
      return evolution_.isSCEVable(side->getType()) &&
             evolution_.isLoopInvariant(hints_.before(evolution_.getSCEV(side), loop), &loop);
    });
  }
  auto* both = llvm::dyn_cast<llvm::BinaryOperator>(&condition);
  return both != nullptr &&
         llvm::all_of(both->operands(), [&](llvm::Value* side) { return is_steady(*side, loop); });
}

const char* Shapes::obstacle_in(const llvm::Loop& loop) {
  const auto known = obstacles_.find(&loop);
  if (known != obstacles_.end()) return known->second;
  const char* obstacle = nullptr;
  if (!loop.isLoopSimplifyForm()) {
    obstacle = "the loop has several entries";
  } else {
    for (const llvm::BasicBlock* block : loop.blocks()) {
      const auto synchronises = [&](const llvm::Instruction& each) {
        return callees_.synchronises(each);
      };
      if (llvm::any_of(*block, synchronises)) obstacle = kSynchronises.data();
    }
  }
  return obstacles_[&loop] = obstacle;
}

}  // namespace weft::pass
