// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/levels.hpp"

#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/IntrinsicInst.h>

namespace weft::pass {

const char* Levels::find(const Write& write, const llvm::Loop* loop,
                         llvm::SmallVectorImpl<Level>& found) {
  Level level;
  level.range = {write.first, write.bytes};
  if (llvm::isa<llvm::MemIntrinsic>(write.by.front())) {
    found.push_back(level);
    if (const char* obstacle = check_copy(write, found.back())) {
      found.clear();
      return obstacle;
    }
  }
  for (; loop != nullptr; loop = loop->getParentLoop()) {
    if (const char* obstacle = extend(write, *loop, level)) return obstacle;
    found.push_back(level);
    level.of_reads = {};  // the next loop's include them
  }
  return nullptr;
}

// By itself, in no loop.
const char* Levels::check_copy(const Write& write, Level& level) {
  llvm::SmallVector<Read, 1> own;
  if (llvm::isa<llvm::MemTransferInst>(write.by.front())) {
    own.push_back(read_of(*write.by.front()));
  }
  return reads_.obstacle(write, level.range, level.order, nullptr, own, level.of_reads);
}

const char* Levels::extend(const Write& write, const llvm::Loop& loop, Level& level) {
  const Body& body = bodies_.of(loop);
  if (body.obstacle != nullptr) return body.obstacle;
  const auto still_known = [&](const Guard& guard) {
    return loop.isLoopInvariant(guard.condition);
  };
  const auto still_equal = [&](const Equality& equality) {
    return evolution_.isLoopInvariant(equality.step, &loop) &&
           evolution_.isLoopInvariant(equality.bytes, &loop);
  };
  const auto still_counted = [&](const llvm::SCEVPredicate* no_wrap) {
    return is_known_before(no_wrap, loop, evolution_);
  };
  if (!llvm::all_of(level.guards, still_known) ||
      !runs_each_time(*block_of(write, level), loop, loop, dominators_, level.guards)) {
    return "a store that is not made each time";
  }
  if (!llvm::all_of(level.equalities, still_equal) ||
      !llvm::all_of(level.no_wraps, still_counted)) {
    return "rows of different lengths";
  }
  if (const char* obstacle = extend_range(loop, level)) return obstacle;
  level.loop = &loop;
  return reads_.obstacle(write, level.range, level.order, &loop, body.reads, level.of_reads);
}

// The block that runs once for each time that the level's range is written.
const llvm::BasicBlock* Levels::block_of(const Write& write, const Level& level) const {
  return level.loop == nullptr ? write.by.front()->getParent() : level.loop->getLoopPreheader();
}

const char* Levels::extend_range(const llvm::Loop& loop, Level& level) {
  const llvm::SCEV* again = repetitions(loop, evolution_);
  if (again == nullptr) return "the number of iterations is not known before the loop";
  const llvm::SCEVAddRecExpr* first =
      advancing(level.range.first, loop, evolution_, level.no_wraps);
  if (first == nullptr || !evolution_.isLoopInvariant(level.range.bytes, &loop)) {
    return "the addresses are not consecutive";
  }
  const llvm::SCEV* step = first->getStepRecurrence(evolution_);
  const llvm::SCEV* bytes = level.range.bytes;
  const auto* known_step = llvm::dyn_cast<llvm::SCEVConstant>(step);
  const auto* known_bytes = llvm::dyn_cast<llvm::SCEVConstant>(bytes);
  Order order = evolution_.isKnownNegative(step) ? Order::kDownwards : Order::kUpwards;
  const llvm::SCEV* length = order == Order::kDownwards ? evolution_.getNegativeSCEV(step) : step;
  if (known_step != nullptr && known_bytes != nullptr) {
    if (known_step->isZero() || known_step->getAPInt().abs().ugt(known_bytes->getAPInt())) {
      return "the addresses are not consecutive";
    }
  } else if (evolution_.applyLoopGuards(length, &loop) !=
             evolution_.applyLoopGuards(bytes, &loop)) {
    level.equalities.push_back({length, bytes});
  }
  const llvm::SCEV* way = evolution_.getMulExpr(length, again);
  level.range.first = order == Order::kUpwards ? first->getStart()
                                               : evolution_.getMinusSCEV(first->getStart(), way);
  level.range.bytes = bytes == length ? evolution_.getMulExpr(length, iterations(loop, evolution_))
                                      : evolution_.getAddExpr(bytes, way);
  level.order = level.loop == nullptr || level.order == order ? order : Order::kOther;
  return nullptr;
}

}  // namespace weft::pass
