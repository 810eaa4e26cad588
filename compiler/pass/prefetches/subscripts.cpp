// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/subscripts.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <cstdlib>

#include "base/compiler_abi.h"
#include "compiler/pass/prefetch_calls/markers.hpp"
#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {
namespace {

// Values that are put in place of those that are loaded.
constexpr std::int64_t kUnit = 1 << 20;
// Rates are eighths of bytes.
constexpr std::int64_t kEighths = 8;
// Between elements of memory that is fetched whole.
constexpr std::int64_t kFarthest = 4096;

using Values = llvm::SmallDenseMap<const llvm::Value*, std::int64_t, 4>;

// An expression with numbers for some of its values. Pointers stay, but where they are numbers.
class WithValues : public llvm::SCEVRewriteVisitor<WithValues> {
 public:
  WithValues(llvm::ScalarEvolution& evolution, const Values& values)
      : SCEVRewriteVisitor(evolution), values_(values) {}

  const llvm::SCEV* visitUnknown(const llvm::SCEVUnknown* value) {
    const llvm::SCEV* number = number_for(value, value->getType());
    return number == nullptr || value->getType()->isPointerTy() ? value : number;
  }
  const llvm::SCEV* visitPtrToIntExpr(const llvm::SCEVPtrToIntExpr* value) {
    const llvm::SCEV* number = number_for(value->getOperand(), value->getType());
    return number == nullptr ? SCEVRewriteVisitor::visitPtrToIntExpr(value) : number;
  }

 private:
  const llvm::SCEV* number_for(const llvm::SCEV* value, llvm::Type* type) {
    const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(value);
    if (unknown == nullptr) return nullptr;
    const auto found = values_.find(unknown->getValue());
    if (found == values_.end() || type->isPointerTy()) return nullptr;
    // Of a narrow type, some of its bits.
    return SE.getConstant(llvm::APInt(64, static_cast<std::uint64_t>(found->second), true)
                              .sextOrTrunc(type->getIntegerBitWidth()));
  }

  const Values& values_;
};

struct FindUnknown {
  llvm::SmallSetVector<llvm::Value*, 4> found;
  bool follow(const llvm::SCEV* value) {
    if (const auto* unknown = llvm::dyn_cast<llvm::SCEVUnknown>(value))
      found.insert(unknown->getValue());
    return true;
  }
  [[nodiscard]] bool isDone() const { return false; }
};

// struct weft_indirection's `loaded`.
std::int64_t size_of(llvm::Type* type, bool is_signed, const llvm::DataLayout& layout) {
  const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(type).getFixedValue());
  return is_signed ? -bytes : bytes;
}

}  // namespace

const llvm::SCEV* Subscripts::number(std::int64_t value) {
  return evolution_.getConstant(llvm::Type::getInt64Ty(evolution_.getContext()),
                                static_cast<std::uint64_t>(value), /*isSigned=*/true);
}

bool Subscripts::follow(Shape& shape, const llvm::Loop& loop) {
  if (shape.indirections.size() == WEFT_MOST_INDIRECTIONS || shape.levels != 0 ||
      shape.is_collapsed) {
    return false;
  }
  const llvm::SCEV* address = hints_.before(shape.first, loop);
  const auto subscripts = loaded_in(address, loop);
  if (!subscripts || subscripts->size() != 1) return false;
  const Loaded& subscript = subscripts->front();
  Indirection made;
  if (is_written_in(subscript, loop) || !find_base(address, subscript, loop, made) ||
      !find_bytes(shape, subscript, loop, made)) {
    return false;
  }
  const auto step = shape.strides.empty() ? std::nullopt : constant_of(shape.strides[0].bytes);
  if (!shape.indirections.empty()) {
    // Its values lie in the memory of this one.
    if (shape.strides.size() > 1) return false;
    if (step) shape.indirections.front().step = number(std::abs(*step));
  }
  made.step = number(std::abs(made.loaded));
  shape.indirections.insert(shape.indirections.begin(), made);
  shape.first = subscript.address;
  shape.bytes = number(std::abs(made.loaded));
  shape.strides.clear();
  return true;
}

std::optional<Subscripts::Loaded> Subscripts::loaded(llvm::Value& value, const llvm::Loop& loop) {
  auto* instruction = llvm::dyn_cast<llvm::Instruction>(&value);
  if (instruction == nullptr || !loop.contains(instruction)) return std::nullopt;
  const auto from = [&](llvm::Instruction& load) -> const llvm::SCEV* {
    llvm::Value* pointer = loaded_pointer(load);
    return pointer == nullptr ? nullptr : hints_.before(evolution_.getSCEV(pointer), loop);
  };
  const auto* merged = llvm::dyn_cast<llvm::PHINode>(instruction);
  if (merged == nullptr) {
    const llvm::SCEV* address = from(*instruction);
    if (address == nullptr) return std::nullopt;
    return Loaded{instruction, address, loaded_type(*instruction)};
  }
  // The last iteration's load, where the first one's was made before the loop.
  if (merged->getParent() != loop.getHeader()) return std::nullopt;
  auto* first =
      llvm::dyn_cast<llvm::LoadInst>(merged->getIncomingValueForBlock(loop.getLoopPreheader()));
  auto* last =
      llvm::dyn_cast<llvm::LoadInst>(merged->getIncomingValueForBlock(loop.getLoopLatch()));
  if (first == nullptr || last == nullptr || !loop.contains(last)) return std::nullopt;
  const llvm::SCEV* address = from(*last);
  const auto* moving = llvm::dyn_cast_or_null<llvm::SCEVAddRecExpr>(address);
  if (moving == nullptr || moving->getLoop() != &loop || !moving->isAffine()) return std::nullopt;
  const llvm::SCEV* before =
      evolution_.getMinusSCEV(address, moving->getStepRecurrence(evolution_));
  const auto* begins = llvm::dyn_cast<llvm::SCEVAddRecExpr>(before);
  if (begins == nullptr || begins->getStart() != from(*first)) return std::nullopt;
  return Loaded{instruction, before, last->getType()};
}

// Nothing if something else moves the expression.
std::optional<llvm::SmallVector<Subscripts::Loaded, 2>> Subscripts::loaded_in(
    const llvm::SCEV* expression, const llvm::Loop& loop) {
  FindUnknown unknown;
  llvm::SCEVTraversal<FindUnknown>(unknown).visitAll(expression);
  llvm::SmallVector<Loaded, 2> all;
  for (llvm::Value* each : unknown.found) {
    if (loop.isLoopInvariant(each)) continue;
    const auto known = loaded(*each, loop);
    if (!known) return std::nullopt;
    all.push_back(*known);
  }
  return all;
}

// Then the values that are there before the loop say little.
bool Subscripts::is_written_in(const Loaded& loaded, const llvm::Loop& loop) {
  const llvm::SCEV* base = evolution_.getPointerBase(loaded.address);
  for (llvm::BasicBlock* block : loop.blocks()) {
    for (llvm::Instruction& each : *block) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&each);
      if (store == nullptr || !evolution_.isSCEVable(store->getPointerOperand()->getType()))
        continue;
      const llvm::SCEV* to =
          evolution_.getPointerBase(evolution_.getSCEV(store->getPointerOperand()));
      if (to == base || hints_.before(to, loop) == base) return true;
    }
  }
  return false;
}

bool Subscripts::find_base(const llvm::SCEV* address, const Loaded& subscript,
                           const llvm::Loop& loop, Indirection& made) {
  llvm::Type* type = subscript.value->getType();
  if (type->isPointerTy()) {
    made.base = evolution_.getMinusSCEV(address, evolution_.getUnknown(subscript.value));
    made.scale = number(1);
    made.loaded = size_of(type, false, loop.getHeader()->getDataLayout());
    return !llvm::isa<llvm::SCEVCouldNotCompute>(made.base) &&
           evolution_.isLoopInvariant(made.base, &loop);
  }
  const auto with = [&](std::int64_t value) {
    const Values values{{subscript.value, value}};
    return WithValues(evolution_, values).visit(address);
  };
  const auto beyond = [&](std::int64_t value) {
    return evolution_.getMinusSCEV(with(value), made.base);
  };
  // A remainder, or a part of the value, goes another way there.
  const std::int64_t large =
      (std::int64_t{1} << (std::min(type->getIntegerBitWidth(), 32U) - 2)) - 3;
  made.base = with(0);
  if (!evolution_.isLoopInvariant(made.base, &loop)) return false;
  made.scale = beyond(1);
  if (llvm::isa<llvm::SCEVCouldNotCompute>(made.scale) || made.scale->isZero() ||
      !evolution_.isLoopInvariant(made.scale, &loop) ||
      beyond(large) != evolution_.getMulExpr(made.scale, number(large))) {
    return false;
  }
  const bool is_signed = beyond(-1) == evolution_.getNegativeSCEV(made.scale);
  made.loaded = size_of(subscript.type, is_signed, loop.getHeader()->getDataLayout());
  return true;
}

// All of the memory that one value leads to, with its gaps.
bool Subscripts::find_bytes(const Shape& shape, const Loaded& subscript, const llvm::Loop& loop,
                            Indirection& made) {
  const auto known = [&](const llvm::SCEV* value) { return hints_.before(value, loop); };
  made.bytes = known(shape.bytes);
  if (!evolution_.isLoopInvariant(made.bytes, &loop)) return false;
  for (const Stride& each : shape.strides) {
    const auto step = constant_of(known(each.bytes));
    const llvm::SCEV* count = known(each.count);
    if (!step || std::abs(*step) > kFarthest) return false;
    if (!evolution_.isLoopInvariant(count, &loop)) {
      const bool is_outermost = &each == &shape.strides.back();
      return is_outermost && *step > 0 && add_row({number(*step), count}, subscript, loop, made);
    }
    const llvm::SCEV* way = evolution_.getMulExpr(
        number(*step), evolution_.getMinusSCEV(count, evolution_.getOne(count->getType())));
    if (*step < 0) {
      made.base = evolution_.getAddExpr(made.base, way);
      way = evolution_.getNegativeSCEV(way);
    }
    made.bytes = evolution_.getAddExpr(made.bytes, way);
  }
  return true;
}

bool Subscripts::add_row(const Stride& row, const Loaded& subscript, const llvm::Loop& loop,
                         Indirection& made) {
  const auto count = find_count(row.count, loop);
  if (!count) return false;
  const auto factor = constant_of(count->factor), step = constant_of(row.bytes);
  if (!factor || *factor <= 0 || (kEighths * *step * *factor) % kUnit != 0) return false;
  const auto upper = way(subscript, count->upper, loop);
  if (!upper) return false;
  made.upper = *upper;
  made.lower = number(WEFT_NO_LOWER);
  if (count->lower) {
    const auto lower = way(subscript, *count->lower, loop);
    if (!lower || count->lower->type != count->upper.type) return false;
    made.lower = *lower;
  }
  made.rate = number(kEighths * *step * *factor / kUnit);
  made.counted = size_of(count->upper.type, true, loop.getHeader()->getDataLayout());
  // The last element of a row ends with it.
  const llvm::SCEV* more = evolution_.getMulExpr(
      row.bytes, evolution_.getMinusSCEV(count->rest, evolution_.getOne(count->rest->getType())));
  made.bytes = evolution_.getAddExpr(made.bytes, more);
  return evolution_.isLoopInvariant(made.bytes, &loop);
}

// By the one value or the difference of two that the count grows with.
std::optional<Subscripts::Count> Subscripts::find_count(const llvm::SCEV* count,
                                                        const llvm::Loop& loop) {
  auto counting = loaded_in(count, loop);
  if (!counting || counting->empty() || counting->size() > 2) return std::nullopt;
  const auto with = [&](std::int64_t upper, std::int64_t lower) {
    Values values{{counting->front().value, upper}};
    if (counting->size() > 1) values[counting->back().value] = lower;
    return WithValues(evolution_, values).visit(count);
  };
  for (std::size_t turn = 0; turn < counting->size(); ++turn) {
    const llvm::SCEV* once = with(kUnit, 0);
    const llvm::SCEV* factor = evolution_.getMinusSCEV(with(2 * kUnit, 0), once);
    const auto known = constant_of(factor);
    const bool is_difference = counting->size() == 1 || with(2 * kUnit, kUnit) == once;
    if (known && *known > 0 && is_difference) {
      Count found{factor, evolution_.getMinusSCEV(once, factor), counting->front(), std::nullopt};
      if (counting->size() > 1) found.lower = counting->back();
      return found;
    }
    std::swap(counting->front(), counting->back());
  }
  return std::nullopt;
}

// In bytes, the same in each iteration.
std::optional<const llvm::SCEV*> Subscripts::way(const Loaded& from, const Loaded& to,
                                                 const llvm::Loop& loop) {
  llvm::Type* type = llvm::Type::getInt64Ty(evolution_.getContext());
  const llvm::SCEV* distance = evolution_.getMinusSCEV(
      evolution_.getPtrToIntExpr(to.address, type), evolution_.getPtrToIntExpr(from.address, type));
  return evolution_.isLoopInvariant(distance, &loop) ? std::optional(distance) : std::nullopt;
}

}  // namespace weft::pass
