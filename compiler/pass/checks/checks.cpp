// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/checks/checks.hpp"

#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>

#include "base/compiler_abi.h"
#include "compiler/pass/checks/places.hpp"
#include "compiler/pass/prefetch_calls/markers.hpp"
#include "compiler/pass/ranges/declarations.hpp"
#include "compiler/pass/ranges/marked_calls.hpp"

namespace weft::pass {
namespace {

bool says_ranges(const llvm::Instruction& instruction) {
  return is_marker(instruction, kOverwrites) || is_marker(instruction, kPrefetches);
}

// Whether the marker's only range is for it.
bool is_overwritten_by(const llvm::CallInst& marker, const llvm::Instruction& access) {
  return llvm::is_contained(noted_ranges(access), noted_ranges(marker).front());
}

// Memory that one instruction uses: a load, a store, or one side of a copy.
struct Use {
  llvm::Value* pointer;
  llvm::Value* bytes;
};

Use use_of(llvm::Instruction& access, llvm::Value* pointer, llvm::IRBuilder<>& builder) {
  if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&access))
    return {pointer, builder.CreateZExtOrTrunc(copy->getLength(), builder.getInt64Ty())};
  const llvm::TypeSize size =
      access.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&access));
  return {pointer, builder.getInt64(size.getFixedValue())};
}

std::optional<Use> loaded_by(llvm::Instruction& access, llvm::IRBuilder<>& builder) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&access))
    return use_of(access, load->getPointerOperand(), builder);
  if (auto* copy = llvm::dyn_cast<llvm::MemTransferInst>(&access))
    return use_of(access, copy->getRawSource(), builder);
  return std::nullopt;
}

Use stored_by(llvm::Instruction& access, llvm::IRBuilder<>& builder) {
  if (auto* copy = llvm::dyn_cast<llvm::MemIntrinsic>(&access))
    return use_of(access, copy->getRawDest(), builder);
  return use_of(access, llvm::getLoadStorePointerOperand(&access), builder);
}

class Checks {
 public:
  Checks(llvm::Function& function, const llvm::LoopInfo& loops)
      : function_(function), loops_(loops), places_(*function.getParent()) {}

  bool put_all() {
    llvm::SmallVector<llvm::Instruction*, 16> noted;
    for (llvm::BasicBlock& block : function_) {
      for (llvm::Instruction& instruction : block) {
        if (!noted_ranges(instruction).empty()) noted.push_back(&instruction);
      }
    }
    for (llvm::Instruction* each : noted) {
      if (!says_ranges(*each)) used_.insert_range(noted_ranges(*each));
    }
    for (llvm::Instruction* each : noted) {
      if (says_ranges(*each)) watch(llvm::cast<llvm::CallInst>(*each));
    }
    for (llvm::Instruction* each : noted) {
      if (!says_ranges(*each)) check(*each);
      forget_ranges(*each);
    }
    return !noted.empty();
  }

 private:
  struct Watch {
    llvm::Value* value;
    bool is_overwrite;
  };

  void watch(llvm::CallInst& marker) {
    if (is_marker(marker, kOverwrites)) {
      watch_overwrite(marker);
    } else {
      watch_prefetches(marker);
    }
  }

  void watch_overwrite(llvm::CallInst& marker) {
    llvm::IRBuilder<> builder(marker.getNextNode());
    builder.SetCurrentDebugLocation(marker.getDebugLoc());
    llvm::Value *first = marker.getArgOperand(0), *bytes = marker.getArgOperand(1);
    llvm::Value* is_said = builder.CreateAnd(
        builder.CreateICmpUGE(bytes, builder.getInt64(fewest_bytes())), marker.getArgOperand(2));
    llvm::Value* made = call_library(builder, "__weft_watch_overwrite", builder.getPtrTy(),
                                     {places_.of(marker, first), first, bytes,
                                      builder.CreateZExt(is_said, builder.getInt32Ty())});
    watches_[noted_ranges(marker).front()] = {made, true};
    const llvm::Loop* loop = loop_of(marker);
    if (loop == nullptr) {
      llvm::Instruction* copy = marker.getNextNode();
      while (!is_overwritten_by(marker, *copy)) copy = copy->getNextNode();
      check_loads(*copy, made);
      end(made, *copy->getNextNode());
    } else {
      for (llvm::BasicBlock* block : loop->blocks()) {
        for (llvm::Instruction& instruction : *block) check_loads(instruction, made);
      }
      end(made, *loop);
    }
  }

  void watch_prefetches(llvm::CallInst& marker) {
    const llvm::Loop* loop = loop_of(marker);
    llvm::IRBuilder<> builder(marker.getNextNode());
    builder.SetCurrentDebugLocation(marker.getDebugLoc());
    for (const auto& [said, range] : llvm::zip_equal(prefetches_of(marker), noted_ranges(marker))) {
      // Of what a called function uses no access is known.
      if (!used_.contains(range)) continue;
      llvm::Value* made = said.indirections.empty() ? watch_strided(builder, marker, said)
                                                    : watch_indirect(builder, marker, said);
      watches_[range] = {made, false};
      end(made, *loop);
    }
  }

  llvm::Value* watch_strided(llvm::IRBuilder<>& builder, llvm::CallInst& marker,
                             const PrefetchValues& said) {
    return call_library(
        builder, "__weft_watch_prefetch", builder.getPtrTy(),
        {places_.of(marker, said.first), said.first, said.bytes, put_strides(builder, said.strides),
         builder.getInt32(static_cast<std::uint32_t>(said.strides.size())),
         builder.getInt32(said.stores ? WEFT_USE_STORES : WEFT_USE_LOADS)});
  }
  llvm::Value* watch_indirect(llvm::IRBuilder<>& builder, llvm::CallInst& marker,
                              const PrefetchValues& said) {
    llvm::SmallVector<llvm::Value*, 7> arguments = indirect_arguments(builder, said);
    arguments.insert(arguments.begin(), places_.of(marker, said.first));
    return call_library(builder, "__weft_watch_indirect", builder.getPtrTy(), arguments);
  }

  // The loop before which it stands; null if it stands before a copy.
  const llvm::Loop* loop_of(const llvm::CallInst& marker) const {
    const llvm::BasicBlock* block = marker.getParent();
    for (const llvm::Instruction* next = marker.getNextNode(); next != nullptr;
         next = next->getNextNode()) {
      if (is_overwritten_by(marker, *next)) return nullptr;
    }
    const llvm::Loop* loop = loops_.getLoopFor(block->getSingleSuccessor());
    assert(loop != nullptr && loop->getLoopPreheader() == block);
    return loop;
  }

  void end(llvm::Value* watch, const llvm::Loop& loop) {
    llvm::SmallVector<llvm::BasicBlock*, 4> exits;
    loop.getUniqueExitBlocks(exits);
    for (llvm::BasicBlock* each : exits) end(watch, *each->getFirstInsertionPt());
  }
  void end(llvm::Value* watch, llvm::Instruction& place) {
    llvm::IRBuilder<> builder(&place);
    call_library(builder, "__weft_end_watch", builder.getVoidTy(), {watch});
  }

  void check_loads(llvm::Instruction& instruction, llvm::Value* watch) {
    llvm::IRBuilder<> builder(&instruction);
    if (const std::optional<Use> use = loaded_by(instruction, builder)) {
      put_check(builder, "__weft_check_load",
                {watch, places_.of(instruction, use->pointer), use->pointer, use->bytes});
    }
  }

  void check(llvm::Instruction& access) {
    llvm::SmallVector<llvm::Value*, 2> prefetched;
    llvm::IRBuilder<> builder(&access);
    for (const llvm::MDNode* range : noted_ranges(access)) {
      const Watch& watch = watches_.at(range);
      if (!watch.is_overwrite) {
        prefetched.push_back(watch.value);
        continue;
      }
      const Use use = stored_by(access, builder);
      put_check(builder, "__weft_check_overwrite",
                {watch.value, places_.of(access, use.pointer), use.pointer, use.bytes});
    }
    if (prefetched.empty()) return;
    const Use use = stored_by(access, builder);
    const bool stores = llvm::isa<llvm::StoreInst>(access);
    llvm::Value* other =
        prefetched.size() > 1 ? prefetched[1] : llvm::ConstantPointerNull::get(builder.getPtrTy());
    put_check(builder, "__weft_check_use",
              {places_.of(access, use.pointer), use.pointer, use.bytes,
               builder.getInt32(stores ? WEFT_USE_STORES : WEFT_USE_LOADS), prefetched[0], other});
  }

  // For optimisations it uses no memory of the program's, so they do as without it.
  void put_check(llvm::IRBuilder<>& builder, llvm::StringRef name,
                 llvm::ArrayRef<llvm::Value*> arguments) {
    call_library(builder, name, builder.getVoidTy(), arguments)
        ->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  }

  llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  Places places_;
  llvm::DenseSet<const llvm::MDNode*> used_;
  llvm::DenseMap<const llvm::MDNode*, Watch> watches_;
};

}  // namespace

llvm::PreservedAnalyses ChecksPass::run(llvm::Function& function,
                                        llvm::FunctionAnalysisManager& analyses) {
  if (!is_checking() ||
      !Checks(function, analyses.getResult<llvm::LoopAnalysis>(function)).put_all()) {
    return llvm::PreservedAnalyses::all();
  }
  llvm::PreservedAnalyses preserved;
  preserved.preserveSet<llvm::CFGAnalyses>();
  return preserved;
}

}  // namespace weft::pass
