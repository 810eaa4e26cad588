// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/calls/reductions.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

#include <vector>

#include "compiler/pass/calls/call_notes.hpp"
#include "compiler/pass/calls/surroundings.hpp"

namespace weft::pass {
namespace {

using openmp::CallNote;
using openmp::ReducedItem;

bool holds_no_pointer(const llvm::Type* type) {
  if (type->isPointerTy() || type->isScalableTy()) return false;
  return llvm::all_of(type->subtypes(),
                      [](const llvm::Type* part) { return holds_no_pointer(part); });
}

// A Fortran descriptor: base, element size, version, four bytes, and perhaps dimensions.
bool is_descriptor(const llvm::Type* type) {
  const auto* structure = llvm::dyn_cast<llvm::StructType>(type);
  if (structure == nullptr || structure->getNumElements() < 7 || structure->getNumElements() > 8) {
    return false;
  }
  const auto is_integer = [&](unsigned index, unsigned bits) {
    return structure->getElementType(index)->isIntegerTy(bits);
  };
  return structure->getElementType(0)->isPointerTy() && is_integer(1, 64) && is_integer(2, 32) &&
         is_integer(3, 8) && is_integer(4, 8) && is_integer(5, 8) && is_integer(6, 8);
}

// A variable that only ever points to descriptors of this thread's own.
bool points_to_descriptor(const llvm::AllocaInst& variable) {
  if (!variable.getAllocatedType()->isPointerTy()) return false;
  bool is_set = false;
  for (const llvm::User* user : variable.users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != &variable) continue;
    const auto* target = llvm::dyn_cast<llvm::AllocaInst>(store->getValueOperand());
    if (target == nullptr || !is_descriptor(target->getAllocatedType())) return false;
    is_set = true;
  }
  return is_set;
}

ReducedItem item_of(const llvm::Value* stored, const llvm::DataLayout& layout) {
  if (stored != nullptr && llvm::isa<llvm::IntToPtrInst>(stored))
    return {ReducedItem::Kind::kCount, 0};
  const auto* copy =
      stored == nullptr ? nullptr : llvm::dyn_cast<llvm::AllocaInst>(stored->stripPointerCasts());
  if (copy == nullptr || copy->getAlign().value() > kMostAlignment) {
    return {ReducedItem::Kind::kOpaque, 0};
  }
  const llvm::Type* type = copy->getAllocatedType();
  if (points_to_descriptor(*copy)) return {ReducedItem::Kind::kDescriptor, 0};
  if (!holds_no_pointer(type)) return {ReducedItem::Kind::kOpaque, 0};
  const std::uint64_t bytes = layout.getTypeAllocSize(copy->getAllocatedType());
  return {copy->isArrayAllocation() ? ReducedItem::Kind::kArray : ReducedItem::Kind::kBytes, bytes};
}

// What is stored at each place of the list, which is a variable that serves this call alone.
std::vector<const llvm::Value*> list_entries(const llvm::CallInst& reduce, std::size_t count,
                                             const llvm::DataLayout& layout) {
  std::vector<const llvm::Value*> entries(count);
  std::vector<bool> written_twice(count);
  const llvm::Value* list = reduce.getArgOperand(4)->stripPointerCasts();
  const auto note_store = [&](const llvm::StoreInst& store) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(list->getType()), 0);
    const llvm::Value* base = store.getPointerOperand()->stripAndAccumulateConstantOffsets(
        layout, offset, /*AllowNonInbounds=*/true);
    const std::uint64_t index = offset.getZExtValue() / sizeof(void*);
    if (base != list || index >= count) return;
    written_twice[index] = entries[index] != nullptr;
    entries[index] = store.getValueOperand();
  };
  for (const llvm::BasicBlock& block : *reduce.getFunction()) {
    for (const llvm::Instruction& at : block) {
      if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&at)) note_store(*store);
    }
  }
  for (std::size_t index = 0; index < count; ++index) {
    if (written_twice[index]) entries[index] = nullptr;
  }
  return entries;
}

std::vector<ReducedItem> items_of(const llvm::CallInst& reduce) {
  const auto* bytes = llvm::dyn_cast<llvm::ConstantInt>(reduce.getArgOperand(3));
  if (bytes == nullptr) return {};
  const llvm::DataLayout& layout = reduce.getModule()->getDataLayout();
  std::vector<ReducedItem> items;
  for (const llvm::Value* stored :
       list_entries(reduce, bytes->getZExtValue() / sizeof(void*), layout)) {
    items.push_back(item_of(stored, layout));
  }
  // An array's elements are counted by the entry behind it, and by nothing else.
  for (std::size_t index = 0; index < items.size(); ++index) {
    const bool counted =
        index + 1 < items.size() && items[index + 1].kind == ReducedItem::Kind::kCount;
    if ((items[index].kind == ReducedItem::Kind::kArray) != counted) {
      if (items[index].kind != ReducedItem::Kind::kCount)
        items[index] = {ReducedItem::Kind::kOpaque, 0};
    }
  }
  return items;
}

}  // namespace

llvm::PreservedAnalyses ReductionsPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (const char* name : {"__kmpc_reduce", "__kmpc_reduce_nowait"}) {
    const bool waits = llvm::StringRef(name) == "__kmpc_reduce";
    for (llvm::CallInst* reduce : calls_of(module, name)) {
      const Barriers barriers = waits ? redundant_barriers(*reduce) : Barriers();
      const std::uint32_t flags = ends_region(*reduce, barriers) ? CallNote::kEndsRegion : 0;
      for (llvm::CallInst* barrier : barriers) attach_note(*barrier, CallNote::kRedundant, {});
      attach_note(*reduce, flags, items_of(*reduce));
    }
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
