// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/assembler.hpp"

#include <llvm/IR/DiagnosticInfo.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/TargetParser/Triple.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

#include "compiler/pass/atomics/atomic_statement.hpp"
#include "compiler/pass/atomics/span_flags.hpp"

namespace weft::pass {
namespace {

// On statements that are changed already: bitcode may come through here twice.
constexpr const char* kDone = "weft.assembler";

void warn(const llvm::CallBase& call) {
  call.getContext().diagnose(llvm::DiagnosticInfoInlineAsm(
      call,
      "Weft does not understand this atomic instruction with what stands beside it: it is atomic "
      "on one node only; on several, use the compiler's __atomic functions",
      llvm::DS_Warning));
}

// The call has a block to itself: it becomes the loop, and works on a copy of the word.
void run_on_copy(llvm::CallInst& call, const AtomicStatement& statement) {
  llvm::Value* const word = call.getArgOperand(statement.addresses.front());
  llvm::IRBuilder<> builder(call.getContext());
  llvm::Type* const type = builder.getIntNTy(statement.bits);
  const llvm::Align alignment(statement.bits / 8);
  llvm::BasicBlock& entry = call.getFunction()->getEntryBlock();
  builder.SetInsertPoint(&entry, entry.getFirstInsertionPt());
  llvm::AllocaInst* const copy = builder.CreateAlloca(type);

  llvm::BasicBlock* const trial = call.getParent();
  llvm::BasicBlock* const after = trial->getSingleSuccessor();
  builder.SetInsertPoint(&call);
  builder.SetCurrentDebugLocation(call.getDebugLoc());
  llvm::LoadInst* const old = builder.CreateAlignedLoad(type, word, alignment);
  old->setAtomic(llvm::AtomicOrdering::SequentiallyConsistent);
  builder.CreateStore(old, copy);
  for (const unsigned address : statement.addresses) call.setArgOperand(address, copy);
  call.removeFnAttr(llvm::Attribute::Memory);  // statements do not always say that they write

  builder.SetInsertPoint(trial->getTerminator());
  llvm::Value* const wanted = builder.CreateLoad(type, copy);
  llvm::AtomicCmpXchgInst* const swap = builder.CreateAtomicCmpXchg(
      word, old, wanted, alignment, llvm::AtomicOrdering::SequentiallyConsistent,
      llvm::AtomicOrdering::SequentiallyConsistent);
  builder.CreateCondBr(builder.CreateExtractValue(swap, 1), after, trial);
  trial->getTerminator()->eraseFromParent();
}

// As it was where there are no threads on other nodes.
void make_atomic_across_nodes(llvm::CallInst& call, const AtomicStatement& statement) {
  llvm::IRBuilder<> builder(&call);
  llvm::Instruction *across = nullptr, *here = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(
      load_flag(SpanFlag::kThreadsElsewhere, builder), call.getIterator(), &across, &here,
      llvm::MDBuilder(call.getContext()).createUnlikelyBranchWeights());
  llvm::BasicBlock* const after = call.getParent();
  call.setMetadata(kDone, llvm::MDNode::get(call.getContext(), {}));
  auto* const on_copy = llvm::cast<llvm::CallInst>(call.clone());
  on_copy->insertBefore(across->getIterator());
  // The loop begins behind a block of its own, as results of other blocks may come together there.
  llvm::SplitBlock(on_copy->getParent(), on_copy);
  call.moveBefore(here->getIterator());
  if (!call.use_empty()) {
    llvm::PHINode* const result = llvm::PHINode::Create(call.getType(), 2, "", after->begin());
    result->setDebugLoc(call.getDebugLoc());
    call.replaceAllUsesWith(result);
    result->addIncoming(on_copy, on_copy->getParent());
    result->addIncoming(&call, call.getParent());
  }
  run_on_copy(*on_copy, statement);
}

// Other nodes take part in the compiler's fences alone.
void add_fence(llvm::CallInst& call) {
  llvm::IRBuilder<> builder(call.getNextNode());
  builder.CreateFence(llvm::AtomicOrdering::SequentiallyConsistent);
  call.setMetadata(kDone, llvm::MDNode::get(call.getContext(), {}));
}

bool change(llvm::CallBase& call) {
  using enum AtomicStatement::Kind;
  const AtomicStatement statement = read_statement(call);
  if (statement.kind == kPlain) return false;
  auto* const plain_call = llvm::dyn_cast<llvm::CallInst>(&call);
  if (plain_call == nullptr || statement.kind == kNotUnderstood) {
    warn(call);
    return false;
  }
  if (statement.kind == kFence) {
    add_fence(*plain_call);
  } else {
    make_atomic_across_nodes(*plain_call, statement);
  }
  return true;
}

}  // namespace

llvm::PreservedAnalyses AssemblerPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  if (!module.getTargetTriple().isX86()) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<llvm::CallBase*, 8> statements;
  for (llvm::Function& function : module) {
    for (llvm::Instruction& each : llvm::instructions(function)) {
      auto* const call = llvm::dyn_cast<llvm::CallBase>(&each);
      if (call != nullptr && call->isInlineAsm() && !call->hasMetadata(kDone))
        statements.push_back(call);
    }
  }
  bool has_changed = false;
  for (llvm::CallBase* const call : statements) has_changed |= change(*call);
  return has_changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
