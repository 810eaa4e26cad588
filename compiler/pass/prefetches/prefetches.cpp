// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/prefetches.hpp"

#include <llvm/Analysis/OptimizationRemarkEmitter.h>

#include <cstdlib>

#include "base/compiler_abi.h"
#include "compiler/pass/prefetches/groups.hpp"
#include "compiler/pass/prefetches/markers.hpp"
#include "compiler/pass/ranges/declarations.hpp"
#include "compiler/pass/ranges/divisors.hpp"
#include "compiler/pass/ranges/marked_calls.hpp"
#include "compiler/pass/ranges/objects.hpp"
#include "compiler/pass/ranges/remarks.hpp"

namespace weft::pass {
namespace {

// Of one loop. More would take longer than they save.
constexpr std::size_t kMostGroups = 24;

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
  Prefetches(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)),
        hints_(evolution_),
        shapes_(evolution_, analyses.getResult<llvm::DominatorTreeAnalysis>(function), loops_,
                hints_),
        expander_(evolution_, "weft.prefetch") {}

  bool place_all(Hoisting how) {
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      for (llvm::BasicBlock* block : loop->blocks()) {
        if (loops_.getLoopFor(block) == loop) look_at(*block, how);
      }
    }
    bool changed = false;
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) changed |= place(*loop);
    expander_.clear();
    hints_.clean_up();
    return changed;
  }

 private:
  struct Found {
    llvm::Instruction* access;
    Shape shape;
    bool is_stored;
  };

  void look_at(llvm::BasicBlock& block, Hoisting how) {
    for (llvm::Instruction& instruction : block) {
      const bool is_plain = llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction) &&
                            !instruction.isAtomic() && !instruction.isVolatile();
      if (!is_plain || is_overwriting(instruction)) continue;
      const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
      if (pointer->getType()->getPointerAddressSpace() != 0 || is_not_worth_it(pointer)) continue;
      consider(instruction, how);
    }
  }

  void consider(llvm::Instruction& access, Hoisting how) {
    const char* obstacle = nullptr;
    const std::optional<Shape> shape =
        shapes_.of(access, obstacle, how == Hoisting::kInnermost, /*whole_rows_only=*/false);
    if (!shape) {
      if (obstacle != nullptr && moves(access)) remarks_.not_prefetched(access, obstacle);
      return;
    }
    if (shape->strides.empty() || most_bytes(*shape) < fewest_bytes()) return;
    if (how == Hoisting::kOutermost && obstacle != nullptr && is_one_row(*shape)) {
      remarks_.not_prefetched(access, obstacle);
      return;
    }
    const bool is_stored = llvm::isa<llvm::StoreInst>(access) && shape->is_certain;
    if (!is_stored || shape->is_collapsed) found_[shape->loop].push_back({&access, *shape, false});
    if (is_stored)
      found_[shape->loop].push_back({&access, stored_shape(access, *shape, how), true});
  }

  // No more than it stores to, while what it uses may be more.
  Shape stored_shape(llvm::Instruction& access, const Shape& used, Hoisting how) {
    if (!used.is_collapsed) return used;
    const char* obstacle = nullptr;
    return *shapes_.of(access, obstacle, how == Hoisting::kInnermost, /*whole_rows_only=*/true);
  }

  // What stays where it is is of no interest to anybody.
  bool moves(llvm::Instruction& access) {
    const llvm::Loop& loop = *loops_.getLoopFor(access.getParent());
    const llvm::SCEV* address = evolution_.getSCEV(llvm::getLoadStorePointerOperand(&access));
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
      return group.take(found.shape, found.is_stored, evolution_);
    };
    if (llvm::any_of(groups, takes)) return;
    if (groups.size() < kMostGroups) {
      groups.emplace_back(*found.access, found.shape, found.is_stored);
    } else {
      remarks_.not_prefetched(*found.access, "the loop uses too much else");
    }
  }

  // In a loop in which nothing else is known: it would be said again and again.
  static bool is_one_row(const Shape& shape) {
    return shape.strides.size() == 1 && shape.loop->getParentLoop() != nullptr &&
           most_bytes(shape) == UINT64_MAX;
  }

  bool place(const llvm::Loop& loop) {
    const auto found = found_.find(&loop);
    if (found == found_.end()) return false;
    llvm::Instruction& place = *loop.getLoopPreheader()->getTerminator();
    llvm::IRBuilder<> builder(&place);
    builder.SetCurrentDebugLocation(loop.getStartLoc());
    llvm::SmallVector<PrefetchValues, 4> accesses;
    for (const Group& each : groups_of(found->second)) {
      const Shape shape = each.shape(evolution_);
      if (std::optional<PrefetchValues> values = values_of(shape, place)) {
        values->stores = each.stores;
        accesses.push_back(std::move(*values));
        remarks_.prefetched(*each.access, *shape.loop);
      } else {
        remarks_.not_prefetched(*each.access, "its place is not known before the loop");
      }
    }
    if (accesses.empty()) return false;
    put_prefetches(builder, accesses);
    return true;
  }

  std::optional<PrefetchValues> values_of(const Shape& shape, llvm::Instruction& place) {
    NonZeroDivisors divisors(evolution_);
    llvm::SmallVector<const llvm::SCEV*, 8> all = {shape.first, shape.bytes};
    for (const Stride& each : shape.strides) all.append({each.bytes, each.count});
    for (const llvm::SCEV*& each : all) {
      each = divisors.visit(each);
      if (!expander_.isSafeToExpandAt(each, &place)) return std::nullopt;
    }
    const auto value = [&](const llvm::SCEV* of) {
      return expander_.expandCodeFor(of, of->getType(), place.getIterator());
    };
    PrefetchValues values{value(all[0]), value(all[1]), {}, false};
    for (std::size_t at = 2; at < all.size(); at += 2) {
      values.strides.push_back({value(all[at]), value(all[at + 1])});
    }
    return values;
  }

  llvm::LoopInfo& loops_;
  llvm::ScalarEvolution& evolution_;
  Remarks remarks_;
  Hints hints_;
  Shapes shapes_;
  llvm::SCEVExpander expander_;
  llvm::DenseMap<const llvm::Loop*, llvm::SmallVector<Found, 4>> found_;
};

}  // namespace

llvm::PreservedAnalyses PrefetchesPass::run(llvm::Function& function,
                                            llvm::FunctionAnalysisManager& analyses) {
  const Hoisting how = hoisting();
  if (how == Hoisting::kNone || !may_have_calls(function) ||
      !Prefetches(function, analyses).place_all(how)) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace weft::pass
