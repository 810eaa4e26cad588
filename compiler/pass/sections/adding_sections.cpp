// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/sections/adding_sections.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

#include "base/compiler_abi.h"
#include "compiler/pass/sections/section.hpp"

namespace weft::pass {
namespace {

using Builder = llvm::IRBuilder<>;

// Makes of one section what adding_sections.hpp shows.
class Rewriting {
 public:
  explicit Rewriting(Section& section)
      : section_(section),
        function_(*section.take->getFunction()),
        context_(function_.getContext()),
        sum_(llvm::StructType::get(pointer(), word(), word(), word(),
                                   llvm::ArrayType::get(llvm::Type::getInt8Ty(context_), 8))),
        term_(llvm::StructType::get(pointer(), word())) {}

  void run() {
    make_room();
    llvm::BasicBlock* before = section_.take->getParent();
    llvm::BasicBlock* locked = llvm::SplitBlock(before, section_.take->getIterator());
    llvm::BasicBlock* inside = llvm::SplitBlock(locked, section_.take->getNextNode());
    llvm::BasicBlock* behind = llvm::SplitBlock(inside, section_.give_up->getNextNode());
    llvm::BasicBlock* begin = block("weft.begin_adding", locked);
    llvm::BasicBlock* add = block("weft.add", locked);

    Builder builder(before->getTerminator());
    llvm::Value* elsewhere = builder.CreateIsNotNull(builder.CreateLoad(
        word(), function_.getParent()->getOrInsertGlobal("__weft_threads_elsewhere", word())));
    builder.CreateCondBr(elsewhere, begin, locked,
                         llvm::MDBuilder(context_).createUnlikelyBranchWeights());
    before->getTerminator()->eraseFromParent();

    builder.SetInsertPoint(begin);
    llvm::Value* begun = begin_adding(builder);
    llvm::SwitchInst* choice = builder.CreateSwitch(begun, add, 2);
    choice->addCase(builder.getInt64(WEFT_NOT_BEGUN), locked);
    choice->addCase(builder.getInt64(WEFT_LOCK_IS_HELD), inside);

    builder.SetInsertPoint(add);
    llvm::SwitchInst* end = builder.CreateSwitch(this->add(builder, begun), locked, 2);
    end->addCase(builder.getInt32(WEFT_ADDED), behind);
    end->addCase(builder.getInt32(WEFT_BEGIN_AGAIN), begin);
  }

 private:
  llvm::Type* pointer() { return llvm::PointerType::get(context_, 0); }
  llvm::Type* word() { return llvm::Type::getInt32Ty(context_); }
  llvm::BasicBlock* block(const char* name, llvm::BasicBlock* next) {
    return llvm::BasicBlock::Create(context_, name, &function_, next);
  }

  void make_room() {
    llvm::BasicBlock& entry = function_.getEntryBlock();
    Builder builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    for (const llvm::Instruction* term : section_.terms) {
      if (llvm::isa<llvm::LoadInst>(term)) ++term_count_;
    }
    sums_ = builder.CreateAlloca(llvm::ArrayType::get(sum_, section_.sums.size()));
    terms_ = builder.CreateAlloca(llvm::ArrayType::get(term_, std::max(1U, term_count_)));
  }

  // Copies the computation of the terms, and notes where it loads.
  void copy_terms(Builder& builder) {
    values_.clear();
    unsigned loads = 0;
    for (llvm::Instruction* each : section_.terms) {
      llvm::Instruction* copy = each->clone();
      llvm::RemapInstruction(copy, values_,
                             llvm::RF_IgnoreMissingLocals | llvm::RF_NoModuleLevelChanges);
      // It is loaded while others may write: what is known of it holds under the lock.
      copy->dropPoisonGeneratingFlags();
      copy->setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
      copy->setMetadata(llvm::LLVMContext::MD_range, nullptr);
      builder.Insert(copy);
      values_[each] = copy;
      auto* load = llvm::dyn_cast<llvm::LoadInst>(copy);
      if (load == nullptr) continue;
      llvm::Value* term = builder.CreateConstInBoundsGEP2_32(
          llvm::ArrayType::get(term_, term_count_), terms_, 0, loads++);
      builder.CreateStore(load->getPointerOperand(), builder.CreateStructGEP(term_, term, 0));
      const auto bytes = load->getDataLayout().getTypeStoreSize(load->getType());
      builder.CreateStore(builder.getInt32(static_cast<unsigned>(bytes.getFixedValue())),
                          builder.CreateStructGEP(term_, term, 1));
    }
  }

  llvm::Value* copy_of(llvm::Value* value) {
    const auto copy = values_.find(value);
    return copy == values_.end() ? value : static_cast<llvm::Value*>(copy->second);
  }

  llvm::Value* place_of(Builder& builder, unsigned sum) {
    return builder.CreateConstInBoundsGEP2_32(llvm::ArrayType::get(sum_, section_.sums.size()),
                                              sums_, 0, sum);
  }

  void put_targets(Builder& builder) {
    for (unsigned at = 0; at < section_.sums.size(); ++at) {
      const Sum& sum = section_.sums[at];
      llvm::Value* place = place_of(builder, at);
      const auto put = [&](unsigned field, llvm::Value* value) {
        builder.CreateStore(value, builder.CreateStructGEP(sum_, place, field));
      };
      const auto bytes = sum.store->getDataLayout().getTypeStoreSize(sum.operation->getType());
      put(0, copy_of(sum.store->getPointerOperand()));
      put(1, builder.getInt32(static_cast<unsigned>(bytes.getFixedValue())));
      put(2, builder.getInt32(sum.kind));
      put(3, builder.getInt32(sum.type));
    }
  }

  void put_operands(Builder& builder) {
    for (unsigned at = 0; at < section_.sums.size(); ++at) {
      const Sum& sum = section_.sums[at];
      llvm::Value* value = copy_of(sum.term);
      if (sum.factor != nullptr) value = builder.CreateFMul(value, copy_of(sum.factor));
      builder.CreateAlignedStore(value, builder.CreateStructGEP(sum_, place_of(builder, at), 4),
                                 llvm::Align(4));
    }
  }

  // Where the sums are is loaded under the lock, or computed from that.
  bool loads_targets() const {
    return llvm::any_of(section_.sums, [&](const Sum& sum) {
      return llvm::is_contained(section_.terms, sum.store->getPointerOperand());
    });
  }

  llvm::Value* begin_adding(Builder& builder) {
    builder.SetCurrentDebugLocation(section_.take->getDebugLoc());
    if (loads_targets()) copy_terms(builder);
    put_targets(builder);
    const llvm::FunctionCallee begin = function_.getParent()->getOrInsertFunction(
        "__weft_begin_adding", llvm::Type::getInt64Ty(context_), word(), pointer(), pointer(),
        word());
    return call(builder, begin,
                {builder.getInt32(section_.lock_kind), section_.lock, sums_,
                 builder.getInt32(static_cast<unsigned>(section_.sums.size()))});
  }

  llvm::Value* add(Builder& builder, llvm::Value* begun) {
    builder.SetCurrentDebugLocation(section_.take->getDebugLoc());
    copy_terms(builder);
    if (loads_targets()) put_targets(builder);
    put_operands(builder);
    const llvm::FunctionCallee add = function_.getParent()->getOrInsertFunction(
        "__weft_add", word(), word(), pointer(), llvm::Type::getInt64Ty(context_), pointer(),
        word(), pointer(), word());
    return call(builder, add,
                {builder.getInt32(section_.lock_kind), section_.lock, begun, sums_,
                 builder.getInt32(static_cast<unsigned>(section_.sums.size())), terms_,
                 builder.getInt32(term_count_)});
  }

  static llvm::Value* call(Builder& builder, llvm::FunctionCallee callee,
                           llvm::ArrayRef<llvm::Value*> arguments) {
    llvm::CallInst* made = builder.CreateCall(callee, arguments);
    made->setDoesNotThrow();
    return made;
  }

  Section& section_;
  llvm::Function& function_;
  llvm::LLVMContext& context_;
  llvm::StructType* const sum_;   // weft_sum
  llvm::StructType* const term_;  // weft_term
  llvm::Value* sums_ = nullptr;
  llvm::Value* terms_ = nullptr;
  unsigned term_count_ = 0;
  llvm::ValueToValueMapTy values_;  // copies
};

bool rewrite_sections(llvm::Function& function) {
  llvm::SmallVector<llvm::CallInst*, 8> calls;
  for (llvm::Instruction& at : llvm::instructions(function)) {
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&at)) calls.push_back(call);
  }
  bool changed = false;
  for (llvm::CallInst* call : calls) {
    std::optional<Section> section = find_section(*call);
    if (!section) continue;
    Rewriting(*section).run();
    changed = true;
  }
  return changed;
}

}  // namespace

llvm::PreservedAnalyses AddingSectionsPass::run(llvm::Module& module,
                                                llvm::ModuleAnalysisManager&) {
  const llvm::Triple& target = module.getTargetTriple();
  if (!target.isOSBinFormatELF() || !target.isArch64Bit()) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (llvm::Function& function : module) {
    if (!function.isDeclaration()) changed |= rewrite_sections(function);
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
