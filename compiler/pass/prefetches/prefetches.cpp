// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/prefetches.hpp"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include <cstdlib>

#include "base/compiler_abi.h"
#include "compiler/pass/prefetch_calls/markers.hpp"
#include "compiler/pass/prefetches/callees.hpp"
#include "compiler/pass/prefetches/folding.hpp"
#include "compiler/pass/prefetches/groups.hpp"
#include "compiler/pass/prefetches/subscript_groups.hpp"
#include "compiler/pass/prefetches/translation.hpp"
#include "compiler/pass/prefetches/ways_in.hpp"
#include "compiler/pass/ranges/declarations.hpp"
#include "compiler/pass/ranges/divisors.hpp"
#include "compiler/pass/ranges/marked_calls.hpp"
#include "compiler/pass/ranges/objects.hpp"
#include "compiler/pass/ranges/remarks.hpp"
#include "compiler/pass/ranges/writes.hpp"

namespace weft::pass {
namespace {

// Of one loop. More would take longer than they save.
constexpr std::size_t kMostGroups = 24;
constexpr const char* kTooMuchElse = "the loop uses too much else";

// Of calls through which an access is seen. Farther out it is seldom known, and costs time to find.
constexpr unsigned kMostLevels = 4;

enum class Hoisting : std::uint8_t { kNone, kInnermost, kOutermost };

Hoisting hoisting() {
  const char* value = std::getenv("WEFT_PREFETCHES");
  if (value == nullptr) return Hoisting::kOutermost;
  if (llvm::StringRef(value) == "off") return Hoisting::kNone;
  return llvm::StringRef(value) == "innermost" ? Hoisting::kInnermost : Hoisting::kOutermost;
}

// Where all numbers are known, the bytes from the first to the last. Else more than one can tell.
std::uint64_t most_bytes(const Shape& shape) {
  const auto known = [](const llvm::SCEV* value) -> std::optional<double> {
    const auto* constant = llvm::dyn_cast<llvm::SCEVConstant>(value);
    if (constant == nullptr) return std::nullopt;
    return constant->getAPInt().signedRoundToDouble();
  };
  double sum = known(shape.bytes).value_or(0);
  for (const Stride& each : shape.strides) {
    const auto bytes = known(each.bytes), count = known(each.count);
    if (!bytes || !count) return UINT64_MAX;
    sum += std::abs(*bytes) * (*count - 1);
  }
  return sum < 1e18 ? static_cast<std::uint64_t>(sum) : UINT64_MAX;
}

class Prefetches {
 public:
  Prefetches(llvm::Function& function, llvm::FunctionAnalysisManager& analyses, Callees& callees)
      : function_(function),
        analyses_(analyses),
        callees_(callees),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)),
        hints_(evolution_),
        shapes_(evolution_, dominators_, loops_, callees, hints_),
        expander_(evolution_, "weft.prefetch") {}

  bool place_all(Hoisting how) {
    callees_.look_at(function_);
    const bool is_called = how == Hoisting::kOutermost && callees_.are_of_use(function_);
    if (is_called) pass_on_calls();
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      for (llvm::BasicBlock* block : loop->blocks()) {
        if (loops_.getLoopFor(block) == loop) look_at(*block, how);
      }
    }
    bool changed = false;
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      changed |= place(*loop);
      if (is_called && loop->isOutermost()) pass_on(*loop);
    }
    callees_.add(function_, uses_);
    expander_.clear();
    for (llvm::Value* each : hints_.made()) callees_.remove_later(each);
    return changed || has_temporary_ || !hints_.made().empty();
  }

 private:
  struct Found {
    llvm::Instruction* access;
    Shape shape;
    bool is_stored;
  };
  using FoundOfLoops = llvm::DenseMap<const llvm::Loop*, llvm::SmallVector<Found, 4>>;

  void look_at(llvm::BasicBlock& block, Hoisting how) {
    for (llvm::Instruction& instruction : block) {
      if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) {
        if (how == Hoisting::kOutermost) look_at(*call);
        continue;
      }
      const bool is_plain = llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) &&
                            !instruction.isAtomic() && !instruction.isVolatile();
      if (!is_plain || is_overwriting(instruction)) continue;
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer->getType()->getPointerAddressSpace() != 0 || is_not_worth_it(pointer)) continue;
      if (const std::optional<Shape> shape = shapes_.of(instruction)) {
        consider(instruction, *shape, llvm::isa<llvm::StoreInst>(instruction), how);
      }
    }
  }

  void look_at(llvm::CallBase& call) {
    for (const Use& each : uses_by(call)) {
      consider(call, shapes_.of(each), each.values.stores, Hoisting::kOutermost);
    }
  }

  llvm::SmallVector<Use, 4> uses_by(llvm::CallBase& call) {
    llvm::SmallVector<Use, 4> uses;
    Translation translation(call, dominators_, loops_, callees_);
    for (const Use& each : callees_.uses_of(call)) {
      has_temporary_ = true;
      std::optional<Use> here = translation.of(each);
      if (here && !is_not_worth_it(here->values.first)) uses.push_back(std::move(*here));
    }
    return uses;
  }

  void consider(llvm::Instruction& access, Shape start, bool may_be_stored, Hoisting how) {
    const auto shape_of = [&](const char*& obstacle, bool whole_rows_only) {
      start.whole_rows_only = whole_rows_only;
      return shapes_.outwards(start, *access.getParent(), obstacle, how == Hoisting::kInnermost);
    };
    const char* obstacle = nullptr;
    const std::optional<Shape> shape = shape_of(obstacle, /*whole_rows_only=*/false);
    if (!shape) {
      if (obstacle != nullptr && moves(access, start)) remarks_.not_prefetched(access, obstacle);
      return;
    }
    if (shape->strides.empty()) return;
    if (!shape->indirections.empty()) {
      return consider_subscripts(access, *shape, may_be_stored, obstacle);
    }
    FoundOfLoops& found = most_bytes(*shape) < fewest_bytes() ? small_ : found_;
    if (how == Hoisting::kOutermost && obstacle != nullptr && is_one_row(*shape)) {
      remarks_.not_prefetched(access, obstacle);
      return;
    }
    const bool is_stored = may_be_stored && shape->is_certain;
    if (!is_stored || shape->is_collapsed) found[shape->loop].push_back({&access, *shape, false});
    // No more than it stores to, while what it uses may be more.
    if (is_stored) {
      found[shape->loop].push_back(
          {&access, shape->is_collapsed ? *shape_of(obstacle, true) : *shape, true});
    }
  }

  void consider_subscripts(llvm::Instruction& access, const Shape& shape, bool may_be_stored,
                           const char* obstacle) {
    if (is_one_row_of_subscripts(shape, obstacle))
      return remarks_.not_prefetched(access, "each row by itself is too little");
    if (leads_to_little(shape)) return;
    by_subscripts_[shape.loop].push_back(
        {&access, shape, may_be_stored && shape.is_certain && !shape.is_collapsed});
  }

  // What stays where it is is of no interest to anybody.
  bool moves(llvm::Instruction& access, const Shape& start) {
    const llvm::Loop& loop = *loops_.getLoopFor(access.getParent());
    const llvm::SCEV* address = start.first;
    if (loop.isLoopSimplifyForm()) address = hints_.before(address, loop);
    return !evolution_.isLoopInvariant(address, &loop);
  }

  // What more loops move comes first: it may go by what fewer do. And stores, as what they store to
  // need not be said to be loaded.
  llvm::SmallVector<Group, 4> groups_of(llvm::ArrayRef<Found> accesses) {
    llvm::SmallVector<Group, 4> groups;
    for (const bool is_stored : {true, false}) {
      for (std::size_t loops = WEFT_MOST_STRIDES; loops > 0; --loops) {
        for (const Found& each : accesses) {
          if (each.is_stored == is_stored && each.shape.strides.size() == loops) add(each, groups);
        }
      }
    }
    return groups;
  }

  void add(const Found& found, llvm::SmallVectorImpl<Group>& groups) {
    const auto takes = [&](Group& group) {
      return group.take(*found.access, found.shape, found.is_stored, evolution_);
    };
    if (llvm::any_of(groups, takes)) return;
    if (groups.size() < kMostGroups) {
      groups.emplace_back(*found.access, found.shape, found.is_stored);
    } else {
      remarks_.not_prefetched(*found.access, kTooMuchElse);
    }
  }

  // In a loop in which nothing else is known: it would be said again and again.
  static bool is_one_row(const Shape& shape) {
    return shape.strides.size() == 1 && shape.loop->getParentLoop() != nullptr &&
           most_bytes(shape) == UINT64_MAX;
  }

  // Such a loop runs again and again; but what others have written is there only before each.
  static bool is_one_row_of_subscripts(const Shape& shape, const char* obstacle) {
    const auto has_rows = [](const Indirection& each) { return each.counted != 0; };
    return is_one_row(shape) && obstacle != nullptr && obstacle != kSynchronises &&
           llvm::none_of(shape.indirections, has_rows);
  }

  // By a few values, or by such as can be no more than a few.
  static bool leads_to_little(const Shape& shape) {
    constexpr std::uint64_t kFewValues = 64;
    const Indirection& last = shape.indirections.back();
    const auto scale = constant_of(last.scale), bytes = constant_of(last.bytes);
    const auto size = static_cast<unsigned>(std::abs(last.loaded));
    const bool is_narrow = size <= 2 && last.counted == 0 && scale && bytes &&
                           (std::abs(*scale) << (8 * size)) + *bytes < fewest_bytes();
    const auto has_rows = [](const Indirection& each) { return each.counted != 0; };
    const bool is_alone = llvm::none_of(shape.indirections, has_rows);
    std::uint64_t values = 1;
    for (const Stride& each : shape.strides) {
      const auto count = constant_of(each.count);
      values = count ? values * static_cast<std::uint64_t>(*count) : UINT64_MAX / 2;
    }
    return is_narrow || (is_alone && values < kFewValues);
  }

  llvm::SmallVector<SubscriptGroup, 4> subscript_groups_of(llvm::ArrayRef<Found> accesses) {
    llvm::SmallVector<SubscriptGroup, 4> groups;
    for (const Found& found : accesses) {
      const auto takes = [&](SubscriptGroup& group) {
        return group.take(*found.access, found.shape, found.is_stored, evolution_);
      };
      if (llvm::any_of(groups, takes)) continue;
      groups.emplace_back(*found.access, found.shape, found.is_stored);
    }
    return groups;
  }

  bool place(const llvm::Loop& loop) {
    if (!found_.contains(&loop) && !by_subscripts_.contains(&loop)) return false;
    llvm::Instruction& place = *loop.getLoopPreheader()->getTerminator();
    llvm::IRBuilder<> builder(&place);
    builder.SetCurrentDebugLocation(loop.getStartLoc());
    llvm::SmallVector<PrefetchValues, 4> accesses;
    const auto add = [&](const Shape& shape, const auto& group, auto& said) {
      if (accesses.size() == kMostGroups) {
        remarks_.not_prefetched(*group.accesses.front(), kTooMuchElse);
      } else if (std::optional<PrefetchValues> values = values_of(shape, group, place)) {
        accesses.push_back(std::move(*values));
        said(*group.accesses.front());
      } else {
        remarks_.not_prefetched(*group.accesses.front(), "its place is not known before the loop");
      }
    };
    const auto prefetched = [&](const auto& access) { remarks_.prefetched(access, loop); };
    const auto by_subscripts = [&](const auto& access) { remarks_.by_subscripts(access, loop); };
    for (const Group& each : groups_of(found_.lookup(&loop)))
      add(each.shape(evolution_), each, prefetched);
    for (const SubscriptGroup& each : subscript_groups_of(by_subscripts_.lookup(&loop)))
      add(each.shape, each, by_subscripts);
    if (accesses.empty()) return false;
    put_prefetches(builder, accesses);
    return true;
  }

  // To callers: of a loop that no other is around.
  void pass_on(const llvm::Loop& loop) {
    llvm::SmallVector<Found, 4> found = found_.lookup(&loop);
    found.append(small_.lookup(&loop));
    if (found.empty()) return;
    llvm::BasicBlock& block = *loop.getLoopPreheader();
    for (const Group& each : groups_of(found)) {
      const Shape shape = folded(each.shape(evolution_), each.stores, evolution_);
      std::optional<PrefetchValues> values = values_of(shape, each, *block.getTerminator());
      if (!values) continue;
      values->stores &= counts(loop);
      remove_later(*values);
      pass_on({std::move(*values), {}, shape.levels}, block, &loop);
    }
  }

  // And all loops in it.
  bool counts(const llvm::Loop& loop) {
    return llvm::none_of(loop.getLoopsInPreorder(), [&](const llvm::Loop* each) {
      return llvm::isa<llvm::SCEVCouldNotCompute>(evolution_.getBackedgeTakenCount(each));
    });
  }

  void remove_later(const PrefetchValues& values) {
    has_temporary_ = true;
    callees_.remove_later(values.first);
    callees_.remove_later(values.bytes);
    for (const auto& [bytes, count] : values.strides) {
      callees_.remove_later(bytes);
      callees_.remove_later(count);
    }
  }

  // What is used by a call that is in no loop, as if the caller had the loops itself.
  void pass_on_calls() {
    for (llvm::BasicBlock& block : function_) {
      if (loops_.getLoopFor(&block) != nullptr) continue;
      for (llvm::Instruction& instruction : block) {
        auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
        if (call == nullptr) continue;
        for (Use& use : uses_by(*call)) pass_on(std::move(use), block, nullptr);
      }
    }
  }

  void pass_on(Use use, llvm::BasicBlock& block, const llvm::Loop* loop) {
    if (++use.levels > kMostLevels || uses_.size() >= kMostGroups) return;
    WaysIn ways(dominators_, analyses_.getResult<llvm::PostDominatorTreeAnalysis>(function_),
                loops_, {evolution_, hints_});
    const auto conditions = ways.conditions(block);
    if (!conditions) return;
    use.conditions.append(*conditions);
    use.values.stores = use.values.stores && ways.is_certain(block, loop);
    if (llvm::none_of(uses_, [&](const Use& each) { return each.covers(use); }))
      uses_.push_back(std::move(use));
  }

  template <typename GroupType>
  std::optional<PrefetchValues> values_of(Shape shape, const GroupType& group,
                                          llvm::Instruction& place) {
    NonZeroDivisors divisors(evolution_);
    llvm::SmallVector<const llvm::SCEV**, 16> all = {&shape.first, &shape.bytes};
    for (Stride& each : shape.strides) all.append({&each.bytes, &each.count});
    for (Indirection& each : shape.indirections) all.append(each.values());
    for (const llvm::SCEV** each : all) {
      *each = divisors.visit(*each);
      if (!expander_.isSafeToExpandAt(*each, &place)) return std::nullopt;
    }
    const auto value = [&](const llvm::SCEV* of) {
      return expander_.expandCodeFor(of, of->getType(), place.getIterator());
    };
    PrefetchValues values{value(shape.first), value(shape.bytes), {}, group.stores, {}, {}};
    // What a called function uses cannot be checked here.
    if (llvm::none_of(group.accesses,
                      [](const auto* each) { return llvm::isa<llvm::CallBase>(each); })) {
      values.accesses = group.accesses;
    }
    for (const Stride& each : shape.strides)
      values.strides.push_back({value(each.bytes), value(each.count)});
    const llvm::SCEV* none = evolution_.getZero(shape.bytes->getType());
    const auto number = [&](std::int64_t of) {
      return value(evolution_.getConstant(none->getType(), static_cast<std::uint64_t>(of), true));
    };
    for (const Indirection& each : shape.indirections) {
      const bool has_rows = each.counted != 0;
      values.indirections.append(
          {value(each.step), number(each.loaded), value(each.base), value(each.scale),
           value(each.bytes), number(each.counted), value(has_rows ? each.rate : none),
           value(has_rows ? each.upper : none), value(has_rows ? each.lower : none)});
    }
    return values;
  }

  llvm::Function& function_;
  llvm::FunctionAnalysisManager& analyses_;
  Callees& callees_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  Remarks remarks_;
  Hints hints_;
  Shapes shapes_;
  llvm::SCEVExpander expander_;
  FoundOfLoops found_, by_subscripts_;
  FoundOfLoops small_;  // too few bytes by themselves
  llvm::SmallVector<Use, 4> uses_;
  bool has_temporary_ = false;
};

}  // namespace

llvm::PreservedAnalyses PrefetchesPass::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  const Hoisting how = hoisting();
  if (how == Hoisting::kNone || !may_have_calls(function) ||
      !Prefetches(function, analyses, callees_).place_all(how)) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace weft::pass
