// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/guards.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/PatternMatch.h>

namespace weft::pass {

using namespace llvm::PatternMatch;

bool Guards::only_guards(llvm::Value& condition, bool expected, const llvm::Loop& loop,
                         const llvm::Loop& outermost) {
  llvm::Value *one = nullptr, *other = nullptr;
  if (expected ? match(&condition, m_LogicalAnd(m_Value(one), m_Value(other)))
               : match(&condition, m_LogicalOr(m_Value(one), m_Value(other)))) {
    return only_guards(*one, expected, loop, outermost) &&
           only_guards(*other, expected, loop, outermost);
  }
  const auto* compared = llvm::dyn_cast<llvm::ICmpInst>(&condition);
  return compared != nullptr && compared->getOperand(0)->getType()->isIntegerTy() &&
         llvm::any_of(loop.getLoopsInPreorder(), [&](const llvm::Loop* each) {
           return is_guard(*compared, expected, *each, outermost);
         });
}

// The condition by which the loop goes on, before its first iteration.
bool Guards::is_guard(const llvm::ICmpInst& compared, bool expected, const llvm::Loop& loop,
                      const llvm::Loop& outermost) {
  const llvm::ICmpInst* again = loop.getLatchCmpInst();
  if (again == nullptr || !again->getOperand(0)->getType()->isIntegerTy()) return false;
  const auto* branch = llvm::cast<llvm::BranchInst>(loop.getLoopLatch()->getTerminator());
  const auto sides_of = [&](const llvm::ICmpInst& of, unsigned index) {
    const llvm::SCEV* side = hints_.whole(evolution_.getSCEV(of.getOperand(index)), loop);
    const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(side);
    if (moving != nullptr && moving->getLoop() == &loop) {
      side = evolution_.getMinusSCEV(moving->getStart(), moving->getStepRecurrence(evolution_));
    }
    return hints_.whole(side, outermost);
  };
  const auto way_of = [&](const llvm::ICmpInst& of, bool holds) {
    return way(sides_of(of, 0), sides_of(of, 1),
               holds ? of.getPredicate() : of.getInversePredicate());
  };
  const llvm::SCEV* enters = way_of(compared, expected);
  const llvm::SCEV* goes_on = way_of(*again, branch->getSuccessor(0) == loop.getHeader());
  const bool is_equality = compared.isEquality() || again->isEquality();
  return enters != nullptr && goes_on != nullptr &&
         (enters == goes_on || (is_equality && enters == evolution_.getNegativeSCEV(goes_on)));
}

// By how much one side exceeds the other while the comparison holds. Null if it says no such thing.
const llvm::SCEV* Guards::way(const llvm::SCEV* left, const llvm::SCEV* right,
                              llvm::CmpInst::Predicate holds) {
  if (holds == llvm::CmpInst::ICMP_EQ) return nullptr;
  const bool is_upwards = llvm::ICmpInst::isLT(holds) || llvm::ICmpInst::isLE(holds);
  const llvm::SCEV* way =
      is_upwards ? evolution_.getMinusSCEV(right, left) : evolution_.getMinusSCEV(left, right);
  return llvm::CmpInst::isNonStrictPredicate(holds)
             ? evolution_.getAddExpr(way, evolution_.getOne(way->getType()))
             : way;
}

}  // namespace weft::pass
