// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/hints.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>

#include "compiler/pass/prefetch_calls/markers.hpp"

namespace weft::pass {
namespace {

// Fewer bits are cut off on purpose, more to save space.
constexpr unsigned kWholeBits = 32;
// flang divides bytes by the size of an element, 16 bytes at most, to get an index.
constexpr unsigned kMostElementBits = 4;

// A variable of the function's that the loop sets, or has set to this thread's share of another
// loop: before the loop it may have had no value.
bool is_set_in(const llvm::Loop& loop, const llvm::SCEV& pointer) {
  const auto* value = llvm::dyn_cast<llvm::SCEVUnknown>(&pointer);
  const auto* variable =
      value == nullptr ? nullptr : llvm::dyn_cast<llvm::AllocaInst>(value->getValue());
  return variable != nullptr && llvm::any_of(variable->users(), [&](const llvm::User* user) {
           const auto* instruction = llvm::cast<llvm::Instruction>(user);
           if (!loop.contains(instruction)) return false;
           if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction)) {
             return store->getPointerOperand() == variable;
           }
           const auto* call = llvm::dyn_cast<llvm::CallBase>(instruction);
           const llvm::Function* called = call == nullptr ? nullptr : call->getCalledFunction();
           return called != nullptr && called->getName().starts_with("__kmpc_for_static_init");
         });
}

bool has_negative_factor(const llvm::SCEV& value) {
  const auto* product = llvm::dyn_cast<llvm::SCEVMulExpr>(&value);
  const auto* factor =
      product == nullptr ? nullptr : llvm::dyn_cast<llvm::SCEVConstant>(product->getOperand(0));
  return factor != nullptr && factor->getAPInt().isNegative();
}

}  // namespace

class Hints::Rewriter : public llvm::SCEVRewriteVisitor<Hints::Rewriter> {
 public:
  Rewriter(Hints& hints, const llvm::Loop& loop)
      : SCEVRewriteVisitor(hints.evolution_), hints_(hints), loop_(loop) {}

  const llvm::SCEV* visitZeroExtendExpr(const llvm::SCEVZeroExtendExpr* value) {
    const llvm::SCEV* narrow = value->getOperand();
    const std::uint64_t bits = SE.getTypeSizeInBits(narrow->getType());
    if (bits >= kWholeBits) return extended(visit(narrow), value->getType());
    if (const auto* cut = llvm::dyn_cast<llvm::SCEVTruncateExpr>(narrow)) {
      return remainder(visit(cut->getOperand()), static_cast<unsigned>(bits), value->getType());
    }
    return SE.getZeroExtendExpr(visit(narrow), value->getType());
  }
  const llvm::SCEV* visitSignExtendExpr(const llvm::SCEVSignExtendExpr* value) {
    const llvm::SCEV* narrow = value->getOperand();
    return SE.getTypeSizeInBits(narrow->getType()) >= kWholeBits
               ? extended(visit(narrow), value->getType())
               : SE.getSignExtendExpr(visit(narrow), value->getType());
  }

  const llvm::SCEV* visitUnknown(const llvm::SCEVUnknown* value) {
    auto* instruction = llvm::dyn_cast<llvm::Instruction>(value->getValue());
    if (instruction == nullptr) return value;
    if (auto* operation = llvm::dyn_cast<llvm::BinaryOperator>(instruction)) {
      return result_of(*operation, value);
    }
    if (auto* frozen = llvm::dyn_cast<llvm::FreezeInst>(instruction)) {
      return visit(SE.getSCEV(frozen->getOperand(0)));
    }
    if (!loop_.contains(instruction)) return value;
    if (llvm::Value* first = first_load(*instruction)) return visit(SE.getSCEV(first));
    if (const llvm::SCEV* merged = merged_value(*instruction)) return merged;
    llvm::Value* from = loaded_pointer(*instruction);
    if (from == nullptr) return value;
    const llvm::SCEV* pointer = visit(SE.getSCEV(from));
    llvm::Value* loaded = hints_.load_before(*instruction, pointer, loop_);
    return loaded == nullptr ? value : SE.getSCEV(loaded);
  }

  const llvm::SCEV* extended(const llvm::SCEV* value, llvm::Type* type) {
    if (SE.getTypeSizeInBits(value->getType()) >= SE.getTypeSizeInBits(type)) {
      return SE.getTruncateOrNoop(value, type);
    }
    llvm::SmallVector<const llvm::SCEV*, 4> parts;
    const auto extend_parts = [&](const llvm::SCEV* of) {
      for (const llvm::SCEV* each : of->operands()) parts.push_back(extended(each, type));
    };
    switch (value->getSCEVType()) {
      case llvm::scAddExpr:
        extend_parts(value);
        return SE.getAddExpr(parts);
      case llvm::scMulExpr:
        extend_parts(value);
        return SE.getMulExpr(parts);
      case llvm::scAddRecExpr:
        extend_parts(value);
        return SE.getAddRecExpr(parts, llvm::cast<llvm::SCEVAddRecExpr>(value)->getLoop(),
                                llvm::SCEV::FlagAnyWrap);
      case llvm::scUDivExpr:
        extend_parts(value);
        return SE.getUDivExpr(parts[0], parts[1]);
      case llvm::scSMaxExpr:
      case llvm::scUMaxExpr:
        extend_parts(value);
        return SE.getSMaxExpr(parts);
      case llvm::scSMinExpr:
      case llvm::scUMinExpr:
        extend_parts(value);
        return SE.getSMinExpr(parts);
      case llvm::scTruncate: {
        const llvm::SCEV* whole = llvm::cast<llvm::SCEVTruncateExpr>(value)->getOperand();
        if (SE.getTypeSizeInBits(value->getType()) < kWholeBits) break;
        // Known before the loop: it need not be guessed, and may be a part of a record.
        if (SE.isLoopInvariant(whole, &loop_)) break;
        return SE.getTypeSizeInBits(whole->getType()) > SE.getTypeSizeInBits(type)
                   ? SE.getTruncateExpr(whole, type)
                   : extended(whole, type);
      }
      default:
        break;
    }
    return SE.getSignExtendExpr(value, type);
  }

 private:
  const llvm::SCEV* result_of(const llvm::BinaryOperator& operation, const llvm::SCEV* value) {
    const auto operand = [&](unsigned index) {
      return visit(SE.getSCEV(operation.getOperand(index)));
    };
    switch (operation.getOpcode()) {
      case llvm::Instruction::SDiv:
        return SE.getUDivExpr(operand(0), operand(1));
      case llvm::Instruction::SRem:
        return SE.getURemExpr(operand(0), operand(1));
      case llvm::Instruction::AShr: {
        const auto* bits = llvm::dyn_cast<llvm::ConstantInt>(operation.getOperand(1));
        return bits != nullptr && bits->getValue().ule(kMostElementBits)
                   ? shifted(operand(0), bits->getZExtValue())
                   : value;
      }
      default:
        return value;
    }
  }

  // value / 2^bits, as if each part could be divided without a remainder.
  const llvm::SCEV* shifted(const llvm::SCEV* value, std::uint64_t bits) {
    if (const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(value)) {
      return SE.getConstant(known->getAPInt().ashr(static_cast<unsigned>(bits)));
    }
    // Of a difference, such as a vector's size.
    if (has_negative_factor(*value)) {
      // That of a huge expression is not simplified: it is a product with -1.
      const llvm::SCEV* negated = SE.getNegativeSCEV(value);
      if (!has_negative_factor(*negated)) return SE.getNegativeSCEV(shifted(negated, bits));
    }
    const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(value);
    if (moving == nullptr && !llvm::isa<llvm::SCEVAddExpr>(value)) {
      return SE.getUDivExpr(value, SE.getConstant(value->getType(), std::uint64_t{1} << bits));
    }
    llvm::SmallVector<const llvm::SCEV*, 4> parts;
    for (const llvm::SCEV* each : value->operands()) parts.push_back(shifted(each, bits));
    return moving == nullptr ? SE.getAddExpr(parts)
                             : SE.getAddRecExpr(parts, moving->getLoop(), llvm::SCEV::FlagAnyWrap);
  }

  // Of a value that is loaded from one address, before the loop and again in it: what was loaded
  // before, or stored there.
  llvm::Value* first_load(llvm::Instruction& value) {
    auto* merged = llvm::dyn_cast<llvm::PHINode>(&value);
    if (merged == nullptr) return nullptr;
    llvm::SmallSetVector<llvm::PHINode*, 4> phis;
    phis.insert(merged);
    llvm::Value* first = nullptr;
    const llvm::Value* pointer = nullptr;
    llvm::SmallVector<const llvm::Value*, 2> others;
    for (std::size_t at = 0; at < phis.size(); ++at) {
      if (phis[at]->getParent() == loop_.getHeader()) {
        first = phis[at]->getIncomingValueForBlock(loop_.getLoopPreheader());
      }
      for (llvm::Value* each : phis[at]->incoming_values()) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(each);
        if (auto* phi = llvm::dyn_cast<llvm::PHINode>(each)) {
          phis.insert(phi);
        } else if (load == nullptr) {
          others.push_back(each);
        } else if (pointer != nullptr && load->getPointerOperand() != pointer) {
          return nullptr;
        } else {
          pointer = load->getPointerOperand();
        }
      }
    }
    const auto is_stored = [&](const llvm::Value* other) { return is_stored_to(*other, pointer); };
    return llvm::all_of(others, is_stored) ? first : nullptr;
  }

  static bool is_stored_to(const llvm::Value& value, const llvm::Value* pointer) {
    return pointer != nullptr && !llvm::isa<llvm::Constant>(value) &&
           llvm::any_of(value.users(), [&](const llvm::User* user) {
             const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
             return store != nullptr && store->getValueOperand() == &value &&
                    store->getPointerOperand() == pointer;
           });
  }

  // Of a value that several ways bring, and all compute alike.
  const llvm::SCEV* merged_value(llvm::Instruction& value) {
    auto* merged = llvm::dyn_cast<llvm::PHINode>(&value);
    if (merged == nullptr || !merging_.insert(merged).second) return nullptr;
    const llvm::SCEV* all = nullptr;
    for (llvm::Value* each : merged->incoming_values()) {
      const llvm::SCEV* one = visit(SE.getSCEV(each));
      if (all != nullptr && one != all) return nullptr;
      all = one;
    }
    merging_.erase(merged);
    return all;
  }

  // value % 2^bits
  const llvm::SCEV* remainder(const llvm::SCEV* value, unsigned bits, llvm::Type* type) {
    const llvm::SCEV* wide = extended(value, type);
    return SE.getURemExpr(wide, SE.getConstant(type, std::uint64_t{1} << bits));
  }

  Hints& hints_;
  const llvm::Loop& loop_;
  llvm::SmallPtrSet<llvm::PHINode*, 4> merging_;  // those that are being looked at, or differ
};

const llvm::SCEV* Hints::before(const llvm::SCEV* value, const llvm::Loop& loop) {
  return Rewriter(*this, loop).visit(value);
}

llvm::Value* Hints::load_before(llvm::Instruction& load, const llvm::SCEV* pointer,
                                const llvm::Loop& loop) {
  llvm::Value*& known = loads_[{{pointer, loaded_type(load)}, {load.getType(), &loop}}];
  if (known != nullptr) return known;
  llvm::Instruction* place = loop.getLoopPreheader()->getTerminator();
  if (!evolution_.isLoopInvariant(pointer, &loop) || !expander_.isSafeToExpandAt(pointer, place) ||
      is_set_in(loop, *pointer)) {
    return nullptr;
  }
  llvm::Value* address = expander_.expandCodeFor(pointer, pointer->getType(), place->getIterator());
  llvm::IRBuilder<> builder(place);
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  known = put_hint(builder, address, load);
  made_.push_back(known);
  return known;
}

const llvm::SCEV* Hints::iterations(const llvm::Loop& loop) {
  llvm::Type* type = llvm::Type::getInt64Ty(loop.getHeader()->getContext());
  const llvm::SCEV* again = evolution_.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(again)) return guess_iterations(loop);
  if (evolution_.getTypeSizeInBits(again->getType()) > 64) return nullptr;
  Rewriter rewriter(*this, loop);
  return evolution_.getAddExpr(rewriter.extended(rewriter.visit(again), type),
                               evolution_.getOne(type));
}

const llvm::SCEV* Hints::whole(const llvm::SCEV* value, const llvm::Loop& loop) {
  Rewriter rewriter(*this, loop);
  return rewriter.extended(rewriter.visit(value),
                           llvm::Type::getInt64Ty(loop.getHeader()->getContext()));
}

// The loop goes on while something that it counts has not got to a bound, which it loads each time.
const llvm::SCEV* Hints::guess_iterations(const llvm::Loop& loop) {
  const llvm::BasicBlock* latch = loop.getLoopLatch();
  if (latch == nullptr || loop.getExitingBlock() != latch) return nullptr;
  const auto* branch = llvm::dyn_cast<llvm::BranchInst>(latch->getTerminator());
  if (branch == nullptr || !branch->isConditional()) return nullptr;
  auto* compared = llvm::dyn_cast<llvm::ICmpInst>(branch->getCondition());
  if (compared == nullptr || !compared->getOperand(0)->getType()->isIntegerTy()) return nullptr;
  llvm::CmpInst::Predicate goes_on = branch->getSuccessor(0) == loop.getHeader()
                                         ? compared->getPredicate()
                                         : compared->getInversePredicate();
  llvm::Type* type = llvm::Type::getInt64Ty(latch->getContext());
  Rewriter rewriter(*this, loop);
  const auto side = [&](unsigned index) {
    return rewriter.extended(rewriter.visit(evolution_.getSCEV(compared->getOperand(index))), type);
  };
  const llvm::SCEV *counted = side(0), *bound = side(1);
  if (llvm::isa<llvm::SCEVAddRecExpr>(bound)) {
    std::swap(counted, bound);
    goes_on = llvm::CmpInst::getSwappedPredicate(goes_on);
  }
  const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(counted);
  if (moving == nullptr || moving->getLoop() != &loop || !moving->isAffine() ||
      !evolution_.isLoopInvariant(bound, &loop)) {
    return nullptr;
  }
  const llvm::SCEV* step = moving->getStepRecurrence(evolution_);
  const bool is_down = evolution_.isKnownNegative(step);
  if (!is_down && !evolution_.isKnownPositive(step)) return nullptr;
  const llvm::SCEV* way = is_down ? evolution_.getMinusSCEV(moving->getStart(), bound)
                                  : evolution_.getMinusSCEV(bound, moving->getStart());
  const llvm::SCEV* length = is_down ? evolution_.getNegativeSCEV(step) : step;
  if (llvm::CmpInst::isNonStrictPredicate(goes_on)) {
    way = evolution_.getAddExpr(way, evolution_.getOne(type));
  }
  way = evolution_.getSMaxExpr(way, evolution_.getZero(type));
  const llvm::SCEV* rounded =
      evolution_.getAddExpr(way, evolution_.getMinusSCEV(length, evolution_.getOne(type)));
  return evolution_.getAddExpr(evolution_.getUDivExpr(rounded, length), evolution_.getOne(type));
}

}  // namespace weft::pass
