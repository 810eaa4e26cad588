// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/calls/region_values.hpp"

#include <llvm/IR/Module.h>

#include <optional>
#include <vector>

#include "compiler/pass/calls/call_notes.hpp"

namespace weft::pass {
namespace {

using openmp::ReducedItem;

// Larger ones stay where they are: a page costs no more then.
constexpr std::uint64_t kMostBytes = 256;

// __kmpc_fork_call(position, count, region, arguments...); region(&gtid, &thread, arguments...)
constexpr unsigned kRegion = 2, kFirstArgument = 3, kFirstParameter = 2;

bool begins_region(const llvm::CallBase& call) {
  const llvm::Function* function = call.getCalledFunction();
  return function != nullptr && function->getName() == "__kmpc_fork_call" &&
         call.arg_size() >= kFirstArgument;
}

// The region's own name for an argument of the call; null if it is not known.
const llvm::Argument* parameter_of(const llvm::CallBase& call, unsigned argument) {
  const auto* region =
      llvm::dyn_cast<llvm::Function>(call.getArgOperand(kRegion)->stripPointerCasts());
  if (region == nullptr || !region->hasExactDefinition() || argument < kFirstArgument) {
    return nullptr;
  }
  const unsigned index = argument - kFirstArgument + kFirstParameter;
  return index < region->arg_size() ? region->getArg(index) : nullptr;
}

// When the call is over, nobody knows the address because of it.
bool forgets(const llvm::CallBase& call, const llvm::Use& use) {
  if (!call.isArgOperand(&use)) return false;
  const unsigned argument = call.getArgOperandNo(&use);
  if (!begins_region(call)) return call.doesNotCapture(argument);
  const llvm::Argument* parameter = parameter_of(call, argument);
  return parameter != nullptr && parameter->hasNoCaptureAttr();
}

// While a region runs, its threads alone have the address, as an argument.
bool is_known_here_alone(const llvm::Value& pointer) {
  return llvm::all_of(pointer.uses(), [&](const llvm::Use& use) {
    const llvm::User* user = use.getUser();
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(user)) return forgets(*call, use);
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(user)) {
      return store->getPointerOperand() == &pointer && store->getValueOperand() != &pointer;
    }
    if (llvm::isa<llvm::GetElementPtrInst>(user)) return is_known_here_alone(*user);
    return llvm::isa<llvm::LoadInst>(user);
  });
}

ReducedItem item_of(const llvm::CallInst& fork, unsigned argument) {
  constexpr ReducedItem kStays = {ReducedItem::Kind::kOpaque, 0};
  const llvm::Argument* parameter = parameter_of(fork, argument);
  const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(fork.getArgOperand(argument));
  if (parameter == nullptr || variable == nullptr || !variable->isStaticAlloca()) return kStays;
  if (!parameter->onlyReadsMemory() || !parameter->hasNoCaptureAttr()) return kStays;
  const std::optional<llvm::TypeSize> bytes =
      variable->getAllocationSize(fork.getModule()->getDataLayout());
  if (!bytes || bytes->isScalable() || bytes->getFixedValue() > kMostBytes) return kStays;
  if (variable->getAlign().value() > kMostAlignment) return kStays;
  // Under another name the region may write it.
  const auto is_variable = [&](const llvm::Use& use) {
    return use->stripInBoundsConstantOffsets() == variable;
  };
  if (llvm::count_if(fork.args(), is_variable) != 1) return kStays;
  if (!is_known_here_alone(*variable)) return kStays;
  return {ReducedItem::Kind::kBytes, bytes->getFixedValue()};
}

}  // namespace

llvm::PreservedAnalyses RegionValuesPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::CallInst* fork : calls_of(module, "__kmpc_fork_call")) {
    std::vector<ReducedItem> items;
    bool any = false;
    for (unsigned argument = kFirstArgument; argument < fork->arg_size(); ++argument) {
      items.push_back(item_of(*fork, argument));
      any = any || items.back().kind == ReducedItem::Kind::kBytes;
    }
    if (any) attach_note(*fork, 0, items);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
