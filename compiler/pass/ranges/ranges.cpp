// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/ranges.hpp"

#include <llvm/Analysis/AliasAnalysis.h>
#include <llvm/Analysis/OptimizationRemarkEmitter.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>

#include <cstdlib>

#include "compiler/pass/ranges/declarations.hpp"
#include "compiler/pass/ranges/levels.hpp"
#include "compiler/pass/ranges/marked_calls.hpp"
#include "compiler/pass/ranges/objects.hpp"
#include "compiler/pass/ranges/placing.hpp"
#include "compiler/pass/ranges/remarks.hpp"

namespace weft::pass {
namespace {

const llvm::Value* destination(const llvm::Instruction& writer) {
  if (const auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&writer)) return copy->getRawDest();
  return llvm::getLoadStorePointerOperand(&writer);
}

class Ranges {
 public:
  Ranges(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : function_(function),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        remarks_(analyses.getResult<llvm::OptimizationRemarkEmitterAnalysis>(function)),
        levels_(evolution_, dominators_, loops_, analyses.getResult<llvm::AAManager>(function)) {}

  bool declare_all() {
    for (const llvm::Loop* loop : loops_.getLoopsInPreorder()) {
      look_at(writes_of(*loop, loops_, dominators_, evolution_), loop);
    }
    for (llvm::BasicBlock& block : function_) {
      if (loops_.getLoopFor(&block) == nullptr) look_at(copies_of(block, evolution_), nullptr);
    }
    // Not earlier: what is added changes the blocks that are looked at.
    Placing placing(evolution_);
    bool changed = false;
    for (const Found& each : found_) {
      const bool placed = placing.place(each.write, each.levels);
      if (placed) remarks_.declared(each.write, each.levels.back());
      if (placed && !each.levels.back().is_conditional()) note_overwriting(each.write.by);
      changed |= placed;
    }
    return changed;
  }

 private:
  struct Found {
    Write write;
    llvm::SmallVector<Level, 4> levels;
  };

  void look_at(const WritesOfBlocks& blocks, const llvm::Loop* loop) {
    for (llvm::Instruction* store : blocks.scattered) {
      if (!is_not_worth_it(destination(*store))) remarks_.missed(*store, why_scattered(*store));
    }
    for (const Write& write : blocks.writes) {
      if (is_not_worth_it(destination(*write.by.front()))) continue;
      Found found{write, {}};
      const char* obstacle = levels_.find(write, loop, found.levels);
      if (found.levels.empty()) {
        remarks_.missed(*write.by.front(), obstacle);
      } else if (evolution_.getUnsignedRangeMax(found.levels.back().range.bytes)
                     .uge(fewest_bytes())) {
        found_.push_back(std::move(found));
      }
    }
  }

  const char* why_scattered(const llvm::Instruction& store) const {
    const llvm::Loop* loop = loops_.getLoopFor(store.getParent());
    return loop->getLoopLatch() != nullptr &&
                   dominators_.dominates(store.getParent(), loop->getLoopLatch())
               ? "the addresses are not consecutive"
               : "a store that is not made each time";
  }

  llvm::Function& function_;
  llvm::LoopInfo& loops_;
  llvm::DominatorTree& dominators_;
  llvm::ScalarEvolution& evolution_;
  Remarks remarks_;
  Levels levels_;
  llvm::SmallVector<Found, 4> found_;
};

bool is_switched_off() {
  const char* value = std::getenv("WEFT_OVERWRITES");
  return value != nullptr && llvm::StringRef(value) == "off";
}

}  // namespace

llvm::PreservedAnalyses RangesPass::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
  if (is_switched_off() || !may_have_calls(function) || !Ranges(function, analyses).declare_all()) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  preserved.preserve<llvm::ScalarEvolutionAnalysis>();
  return preserved;
}

}  // namespace weft::pass
