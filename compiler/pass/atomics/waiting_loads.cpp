// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/waiting_loads.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "base/compiler_abi.h"

namespace weft::pass {
namespace {

bool is_pause(const llvm::CallBase& call) {
  if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call)) {
    return intrinsic->getIntrinsicID() == llvm::Intrinsic::x86_sse2_pause ||
           intrinsic->isAssumeLikeIntrinsic();
  }
  if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
    const llvm::StringRef text = llvm::StringRef(assembly->getAsmString()).trim();
    return text.empty() || text == "pause" || text == "rep; nop" || text == "rep;nop";
  }
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return false;
  const llvm::StringRef name = callee->getName();
  return name == "__kmpc_flush" || name == "sched_yield";
}

bool only_looks(const llvm::Instruction& instruction) {
  if (llvm::isa<llvm::LoadInst, llvm::FenceInst>(instruction)) return true;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return is_pause(*call);
  return !instruction.mayHaveSideEffects() && !instruction.mayReadOrWriteMemory();
}

// A loop that counts its turns, or computes something from turn to turn, does more than look.
bool remembers(const llvm::Loop& loop, const llvm::PHINode& phi) {
  for (unsigned i = 0; i < phi.getNumIncomingValues(); ++i) {
    if (!loop.contains(phi.getIncomingBlock(i))) continue;
    const llvm::Value* value = phi.getIncomingValue(i);
    const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
    const bool is_same = instruction == nullptr || !loop.contains(instruction);
    if (!is_same && !llvm::isa<llvm::LoadInst>(instruction)) return true;
  }
  return false;
}

bool only_looks(const llvm::Loop& loop) {
  if (!loop.isInnermost()) return false;
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (remembers(loop, phi)) return false;
  }
  return llvm::all_of(loop.blocks(), [](const llvm::BasicBlock* block) {
    return llvm::all_of(*block, [](const llvm::Instruction& each) { return only_looks(each); });
  });
}

// The mark in all turns but the first.
llvm::PHINode* make_mark(const llvm::Loop& loop) {
  llvm::BasicBlock* header = loop.getHeader();
  llvm::IRBuilder<> builder(header, header->begin());
  llvm::PHINode* mark = builder.CreatePHI(builder.getInt32Ty(), llvm::pred_size(header));
  for (llvm::BasicBlock* before : llvm::predecessors(header)) {
    mark->addIncoming(builder.getInt32(loop.contains(before) ? WEFT_LOAD_WAITS : 0), before);
  }
  return mark;
}

}  // namespace

void WaitingLoads::note(llvm::LoadInst& load) {
  const llvm::Loop* loop = loops_.getLoopFor(load.getParent());
  if (loop == nullptr) return;
  const auto [known, is_new] = in_later_turns_.try_emplace(loop, nullptr);
  if (is_new && only_looks(*loop)) known->second = make_mark(*loop);
  if (known->second != nullptr) marks_[&load] = known->second;
}

llvm::Value* WaitingLoads::mark_of(const llvm::LoadInst& load) const {
  const auto found = marks_.find(&load);
  return found == marks_.end() ? nullptr : found->second;
}

}  // namespace weft::pass
