// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

namespace weft::pass {

// The same, where the program divides by none of the divisors that are 0. LLVM does not compute
// earlier than the program does a division that might be by 0.
class NonZeroDivisors : public llvm::SCEVRewriteVisitor<NonZeroDivisors> {
 public:
  using SCEVRewriteVisitor::SCEVRewriteVisitor;

  const llvm::SCEV* visitUDivExpr(const llvm::SCEVUDivExpr* division) {
    const llvm::SCEV* divisor = visit(division->getRHS());
    if (!SE.isKnownNonZero(divisor)) {
      divisor = SE.getUMaxExpr(divisor, SE.getOne(divisor->getType()));
    }
    return SE.getUDivExpr(visit(division->getLHS()), divisor);
  }
};

}  // namespace weft::pass
