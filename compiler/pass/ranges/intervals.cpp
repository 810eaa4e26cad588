// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/intervals.hpp"

#include "compiler/pass/ranges/declarations.hpp"

namespace weft::pass {
namespace {

// A step that no count of iterations takes around the address space: a loop of 2^47 steps takes
// days.
constexpr unsigned kStepBits = 16;

std::optional<llvm::APInt> constant(const llvm::SCEV* value) {
  const auto* known = llvm::dyn_cast<llvm::SCEVConstant>(value);
  if (known == nullptr) return std::nullopt;
  return known->getAPInt();
}

// From the first to the last iteration, which is `way` farther, in whichever direction.
Interval all_steps(const Interval& access, const llvm::SCEVAddRecExpr& moving,
                   const llvm::SCEV* way, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV* start = moving.getStart();
  const llvm::SCEV* step = moving.getStepRecurrence(evolution);
  const llvm::SCEV* back = evolution.getNegativeSCEV(way);
  if (evolution.isKnownNonNegative(step)) return {start, evolution.getAddExpr(access.bytes, way)};
  if (evolution.isKnownNegative(step)) {
    return {evolution.getAddExpr(start, way), evolution.getAddExpr(access.bytes, back)};
  }
  const llvm::SCEV* zero = evolution.getZero(way->getType());
  return {evolution.getAddExpr(start, evolution.getSMinExpr(way, zero)),
          evolution.getAddExpr(access.bytes, evolution.getSMaxExpr(way, back))};
}

}  // namespace

const llvm::SCEV* repetitions(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV* count = evolution.getBackedgeTakenCount(&loop);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(count)) return nullptr;
  llvm::Type* type = llvm::Type::getInt64Ty(loop.getHeader()->getContext());
  if (evolution.getTypeSizeInBits(count->getType()) > 64) return nullptr;
  return evolution.getNoopOrZeroExtend(count, type);
}

const llvm::SCEV* iterations(const llvm::Loop& loop, llvm::ScalarEvolution& evolution) {
  llvm::Type* type = llvm::Type::getInt64Ty(loop.getHeader()->getContext());
  return evolution.getTripCountFromExitCount(evolution.getBackedgeTakenCount(&loop), type, &loop);
}

const llvm::SCEVAddRecExpr* advancing(const llvm::SCEV* address, const llvm::Loop& loop,
                                      llvm::ScalarEvolution& evolution, NoWraps& no_wraps) {
  const auto* moving = llvm::dyn_cast<llvm::SCEVAddRecExpr>(address);
  if (moving == nullptr || moving->getLoop() != &loop) {
    llvm::SmallVector<const llvm::SCEVPredicate*, 2> needed;
    moving = evolution.convertSCEVToAddRecWithPredicates(address, &loop, needed);
    const auto is_wrap = [](const llvm::SCEVPredicate* each) {
      return llvm::isa<llvm::SCEVWrapPredicate>(each);
    };
    if (moving == nullptr || !llvm::all_of(needed, is_wrap)) return nullptr;
    no_wraps.append(needed.begin(), needed.end());
  }
  return moving->isAffine() && moving->getLoop() == &loop ? moving : nullptr;
}

// It depends on the first and the last iteration.
bool is_known_before(const llvm::SCEVPredicate* no_wrap, const llvm::Loop& loop,
                     llvm::ScalarEvolution& evolution) {
  const auto* index = llvm::cast<llvm::SCEVWrapPredicate>(no_wrap)->getExpr();
  const llvm::SCEV* again = repetitions(*index->getLoop(), evolution);
  return evolution.isLoopInvariant(index->getStart(), &loop) && again != nullptr &&
         evolution.isLoopInvariant(again, &loop);
}

std::optional<Interval> swept(Interval access, const llvm::Loop& innermost,
                              const llvm::Loop& outermost, bool each_time,
                              llvm::ScalarEvolution& evolution, NoWraps& no_wraps) {
  for (const llvm::Loop* loop = &innermost; loop != outermost.getParentLoop();
       loop = loop->getParentLoop()) {
    if (evolution.isLoopInvariant(access.first, loop)) continue;
    const llvm::SCEVAddRecExpr* moving = advancing(access.first, *loop, evolution, no_wraps);
    const llvm::SCEV* again = repetitions(*loop, evolution);
    if (moving == nullptr || again == nullptr) return std::nullopt;
    const llvm::SCEV* step = moving->getStepRecurrence(evolution);
    if (!evolution.isLoopInvariant(again, &outermost) ||
        !evolution.isLoopInvariant(step, &outermost)) {
      return std::nullopt;
    }
    // Addresses that are used in each iteration are addresses of memory, so never far apart. Others
    // may be anything where they are not used.
    const std::optional<llvm::APInt> known = constant(step);
    if (!each_time && (!known || known->getSignificantBits() > kStepBits)) return std::nullopt;
    access = all_steps(access, *moving, evolution.getMulExpr(step, again), evolution);
  }
  const auto is_known = [&](const llvm::SCEVPredicate* no_wrap) {
    return is_known_before(no_wrap, outermost, evolution);
  };
  if (!evolution.isLoopInvariant(access.first, &outermost) ||
      !evolution.isLoopInvariant(access.bytes, &outermost) || !llvm::all_of(no_wraps, is_known)) {
    return std::nullopt;
  }
  return access;
}

Overlap overlap(const Interval& read, const Interval& range, llvm::ScalarEvolution& evolution) {
  const llvm::SCEV* distance = evolution.getMinusSCEV(read.first, range.first);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(distance)) return Overlap::kSometimes;
  const llvm::SCEV* zero = evolution.getZero(distance->getType());
  const llvm::SCEV* end = evolution.getAddExpr(distance, read.bytes);
  using Compare = llvm::CmpInst::Predicate;
  if (evolution.isKnownPredicate(Compare::ICMP_SGE, distance, range.bytes) ||
      evolution.isKnownPredicate(Compare::ICMP_SLE, end, zero)) {
    return Overlap::kNever;
  }
  // The range is declared only if it has so many bytes, and then the read has about as many.
  const llvm::SCEV* least = evolution.getConstant(distance->getType(), fewest_bytes());
  const llvm::SCEV* more = evolution.getMinusSCEV(read.bytes, range.bytes);
  const llvm::SCEV* least_end = evolution.getAddExpr(distance, evolution.getAddExpr(least, more));
  const bool begins_before = evolution.isKnownPredicate(Compare::ICMP_SLE, distance, zero);
  const bool begins_within = evolution.isKnownPredicate(Compare::ICMP_SGE, distance, zero) &&
                             evolution.isKnownPredicate(Compare::ICMP_SLT, distance, least);
  const bool reaches_in =
      begins_before && (evolution.isKnownPredicate(Compare::ICMP_SGT, end, zero) ||
                        evolution.isKnownPredicate(Compare::ICMP_SGT, least_end, zero));
  return begins_within || reaches_in ? Overlap::kAlways : Overlap::kSometimes;
}

void add_interval(llvm::SmallVectorImpl<Interval>& intervals, const Interval& added,
                  llvm::ScalarEvolution& evolution) {
  for (Interval& each : intervals) {
    if (each.bytes != added.bytes) continue;
    const llvm::SCEV* distance = evolution.getMinusSCEV(added.first, each.first);
    const std::optional<llvm::APInt> known = constant(distance);
    if (!known) continue;
    if (known->isNegative()) each.first = added.first;
    each.bytes = evolution.getAddExpr(each.bytes, evolution.getConstant(known->abs()));
    return;
  }
  intervals.push_back(added);
}

}  // namespace weft::pass
