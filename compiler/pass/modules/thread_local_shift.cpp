// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/modules/thread_local_shift.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ReplaceConstant.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <vector>

#include "base/thread_local_abi.h"
#include "compiler/library_thread_locals.hpp"

namespace weft::pass {
namespace {

constexpr const char* kShift = "__weft_thread_local_shift";

bool is_of_program(const llvm::GlobalVariable& variable) {
  return variable.isThreadLocal() &&
         (!variable.isDeclaration() || !is_thread_local_of_libraries(variable.getName()));
}

bool is_address(const llvm::User* user) {
  const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(user);
  return intrinsic != nullptr &&
         intrinsic->getIntrinsicID() == llvm::Intrinsic::threadlocal_address;
}

// A list of what the linker must keep.
bool is_kept_list(const llvm::User* user) {
  const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(user);
  if (variable != nullptr) return variable->getName().starts_with("llvm.");
  return llvm::isa<llvm::ConstantArray>(user) && llvm::all_of(user->users(), is_kept_list);
}

// The instruction that makes the address for the use. clang names a variable without one where it
// hands it to its constructor and registers its destructor.
llvm::Instruction* address_for(llvm::GlobalValue& variable, llvm::Use& use) {
  auto* user = llvm::cast<llvm::Instruction>(use.getUser());
  if (is_address(user)) return user;
  auto* address = llvm::IRBuilder<>(user).CreateThreadLocalAddress(&variable);
  use.set(address);
  return llvm::cast<llvm::Instruction>(address);
}

// False where some use is not understood.
bool find_addresses(llvm::GlobalValue& variable, std::vector<llvm::Instruction*>& found) {
  llvm::convertUsersOfConstantsToInstructions({&variable});
  for (llvm::Use& use : llvm::make_early_inc_range(variable.uses())) {
    llvm::User* const user = use.getUser();
    if (auto* alias = llvm::dyn_cast<llvm::GlobalAlias>(user)) {
      if (!find_addresses(*alias, found)) return false;
    } else if (llvm::isa<llvm::Instruction>(user) && !llvm::isa<llvm::PHINode>(user)) {
      found.push_back(address_for(variable, use));
    } else if (!is_kept_list(user)) {
      return false;
    }
  }
  return true;
}

// Before all of them, and in no loop.
llvm::BasicBlock* block_before(llvm::ArrayRef<llvm::Instruction*> addresses,
                               const llvm::DominatorTree& tree, const llvm::LoopInfo& loops) {
  llvm::BasicBlock* block = addresses.front()->getParent();
  for (llvm::Instruction* address : addresses) {
    block = tree.findNearestCommonDominator(block, address->getParent());
  }
  while (const llvm::Loop* loop = loops.getLoopFor(block)) {
    block = tree.getNode(loop->getHeader())->getIDom()->getBlock();
  }
  // Where exceptions are caught there may be no room for an instruction.
  while (block->getFirstInsertionPt() == block->end())
    block = tree.getNode(block)->getIDom()->getBlock();
  return block;
}

llvm::Value* load_shift(llvm::BasicBlock& block) {
  llvm::Module& module = *block.getModule();
  llvm::IRBuilder<> builder(&block, block.getFirstInsertionPt());
  llvm::Type* type = module.getDataLayout().getIntPtrType(module.getContext());
  auto* shift = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal(kShift, type));
  shift->setThreadLocalMode(llvm::GlobalVariable::InitialExecTLSModel);
  return builder.CreateLoad(type, builder.CreateThreadLocalAddress(shift));
}

void add_shift(llvm::Instruction& address, llvm::Value* shift) {
  llvm::IRBuilder<> builder(address.getNextNode());
  llvm::Value* sum = builder.CreatePtrAdd(&address, shift);
  address.replaceUsesWithIf(sum, [&](const llvm::Use& use) { return use.getUser() != sum; });
}

void add_shift(llvm::Function& function, llvm::ArrayRef<llvm::Instruction*> addresses,
               llvm::FunctionAnalysisManager& manager) {
  const auto is_reachable = [&](const llvm::Instruction* address) {
    return manager.getResult<llvm::DominatorTreeAnalysis>(function).isReachableFromEntry(
        address->getParent());
  };
  std::vector<llvm::Instruction*> reachable;
  llvm::copy_if(addresses, std::back_inserter(reachable), is_reachable);
  if (reachable.empty()) return;
  llvm::Value* const shift =
      load_shift(*block_before(reachable, manager.getResult<llvm::DominatorTreeAnalysis>(function),
                               manager.getResult<llvm::LoopAnalysis>(function)));
  for (llvm::Instruction* address : reachable) add_shift(*address, shift);
}

// By which the link knows that this has been done.
void mark(llvm::Module& module) {
  llvm::Type* byte = llvm::Type::getInt8Ty(module.getContext());
  auto* marker = new llvm::GlobalVariable(module, byte, true, llvm::GlobalValue::InternalLinkage,
                                          llvm::ConstantInt::get(byte, 1), WEFT_ADDS_SHIFT_SYMBOL);
  llvm::appendToCompilerUsed(module, {marker});
}

}  // namespace

llvm::PreservedAnalyses ThreadLocalShiftPass::run(llvm::Module& module,
                                                  llvm::ModuleAnalysisManager& manager) {
  const bool is_done = module.getNamedGlobal(WEFT_ADDS_SHIFT_SYMBOL) != nullptr;  // in bitcode
  if (is_done || !module.getTargetTriple().isOSBinFormatELF())
    return llvm::PreservedAnalyses::all();
  std::vector<llvm::Instruction*> addresses;
  bool has_any = false;
  for (llvm::GlobalVariable& variable : module.globals()) {
    if (!is_of_program(variable)) continue;
    has_any = true;
    if (!find_addresses(variable, addresses)) return llvm::PreservedAnalyses::all();
  }
  if (!has_any) return llvm::PreservedAnalyses::all();
  llvm::MapVector<llvm::Function*, std::vector<llvm::Instruction*>> by_function;
  for (llvm::Instruction* address : addresses)
    by_function[address->getFunction()].push_back(address);
  auto& functions =
      manager.getResult<llvm::FunctionAnalysisManagerModuleProxy>(module).getManager();
  for (auto& [function, found] : by_function) add_shift(*function, found, functions);
  mark(module);
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
