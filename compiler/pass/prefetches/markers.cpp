// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/markers.hpp"

#include <utility>

#include "base/compiler_abi.h"
#include "compiler/pass/ranges/marked_calls.hpp"

namespace weft::pass {
namespace {

// Its operands, in this order, for each access: first, bytes, enum weft_use, the number of strides,
// and each stride's bytes and count.
llvm::Function* prefetches_marker(llvm::Module& module) {
  return marker(module, kPrefetches,
                llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {}, true));
}

llvm::CallInst* hint_of(llvm::Value* value) {
  if (llvm::isa<llvm::TruncInst, llvm::IntToPtrInst>(value)) {
    value = llvm::cast<llvm::CastInst>(value)->getOperand(0);
  }
  return is_hint(*value) ? llvm::cast<llvm::CallInst>(value) : nullptr;
}

// Strides for calls one behind the other: of arrays of one shape most are the same, and the library
// leaves them as they are.
class StridesInTurn {
 public:
  StridesInTurn(llvm::IRBuilder<>& builder, std::size_t most)
      : builder_(builder), present_(2 * most) {
    llvm::Function& function = *builder.GetInsertBlock()->getParent();
    llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
    type_ = llvm::ArrayType::get(builder.getInt64Ty(), 2 * most);
    array_ = entry.CreateAlloca(type_, nullptr, "weft.strides");
  }

  llvm::Value* put(llvm::ArrayRef<PrefetchValues::Stride> strides) {
    unsigned index = 0;
    for (const auto& [bytes, count] : strides) {
      put(bytes, index++);
      put(count, index++);
    }
    return array_;
  }

 private:
  void put(llvm::Value* value, unsigned index) {
    if (std::exchange(present_[index], value) == value) return;
    builder_.CreateStore(value, builder_.CreateConstGEP2_64(type_, array_, 0, index));
  }

  llvm::IRBuilder<>& builder_;
  llvm::SmallVector<llvm::Value*, 16> present_;
  llvm::ArrayType* type_;
  llvm::Value* array_;
};

// Null if it is not in this block alone.
llvm::Instruction* first_user(llvm::Instruction& value) {
  llvm::Instruction* first = nullptr;
  for (llvm::User* each : value.users()) {
    auto* user = llvm::cast<llvm::Instruction>(each);
    if (user->getParent() != value.getParent()) return nullptr;
    if (first == nullptr || user->comesBefore(first)) first = user;
  }
  return first;
}

// To where they are used first: else most would be kept in the frame while others are used in
// calls.
void delay_values(llvm::BasicBlock& block) {
  for (llvm::Instruction& value : llvm::make_early_inc_range(llvm::reverse(block))) {
    if (value.mayReadOrWriteMemory() || llvm::isa<llvm::PHINode>(value)) continue;
    if (llvm::Instruction* first = first_user(value)) value.moveBefore(first->getIterator());
  }
}

void call_each(llvm::CallInst& marked) {
  llvm::IRBuilder<> builder(&marked);
  const llvm::SmallVector<PrefetchValues, 4> all = prefetches_of(marked);
  std::size_t most = 0;
  for (const PrefetchValues& each : all) most = std::max(most, each.strides.size());
  StridesInTurn strides(builder, most);
  for (const PrefetchValues& each : all) {
    call_library(builder, "__weft_prefetch", builder.getVoidTy(),
                 {each.first, each.bytes, strides.put(each.strides),
                  builder.getInt32(static_cast<std::uint32_t>(each.strides.size())),
                  builder.getInt32(each.stores ? WEFT_USE_STORES : WEFT_USE_LOADS)});
  }
  call_library(builder, "__weft_await_prefetches", builder.getVoidTy(), {});
}

void replace_hint(llvm::CallInst& hint) {
  llvm::IRBuilder<> builder(&hint);
  const char* name = is_checking() ? "__weft_check_hint" : "__weft_hint_load";
  hint.replaceAllUsesWith(call_library(builder, name, builder.getInt64Ty(),
                                       {hint.getArgOperand(0), hint.getArgOperand(1)}));
  hint.eraseFromParent();
}

}  // namespace

void put_prefetches(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses) {
  llvm::SmallVector<llvm::Value*, 16> values;
  llvm::SmallVector<unsigned, 4> pointers;
  for (const PrefetchValues& each : accesses) {
    pointers.push_back(values.size());
    values.append({each.first, each.bytes,
                   builder.getInt32(each.stores ? WEFT_USE_STORES : WEFT_USE_LOADS),
                   builder.getInt32(static_cast<std::uint32_t>(each.strides.size()))});
    for (const auto& [bytes, count] : each.strides) values.append({bytes, count});
  }
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::CallInst* call = builder.CreateCall(prefetches_marker(module), values);
  for (const unsigned pointer : pointers) {
    call->addParamAttr(pointer, llvm::Attribute::getWithCaptureInfo(module.getContext(),
                                                                    llvm::CaptureInfo::none()));
  }
  for (const PrefetchValues& each : accesses) note_range(*call, each.accesses);
}

llvm::SmallVector<PrefetchValues, 4> prefetches_of(const llvm::CallInst& marker) {
  llvm::SmallVector<PrefetchValues, 4> found;
  llvm::SmallVector<llvm::Value*, 16> values(marker.args());
  const auto number = [](const llvm::Value* value) {
    return llvm::cast<llvm::ConstantInt>(value)->getZExtValue();
  };
  for (llvm::ArrayRef<llvm::Value*> rest = values; !rest.empty();) {
    PrefetchValues each{rest[0], rest[1], {}, number(rest[2]) == WEFT_USE_STORES, {}};
    const std::uint64_t end = 4 + (2 * number(rest[3]));
    for (std::uint64_t at = 4; at < end; at += 2) each.strides.push_back({rest[at], rest[at + 1]});
    found.push_back(std::move(each));
    rest = rest.drop_front(end);
  }
  return found;
}

llvm::Value* put_strides(llvm::IRBuilder<>& builder,
                         llvm::ArrayRef<PrefetchValues::Stride> strides) {
  if (strides.empty()) return llvm::ConstantPointerNull::get(builder.getPtrTy());
  llvm::Function& function = *builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  auto* type = llvm::ArrayType::get(builder.getInt64Ty(), 2 * strides.size());
  llvm::Value* array = entry.CreateAlloca(type, nullptr, "weft.strides");
  unsigned index = 0;
  for (const auto& [bytes, count] : strides) {
    builder.CreateStore(bytes, builder.CreateConstGEP2_64(type, array, 0, index++));
    builder.CreateStore(count, builder.CreateConstGEP2_64(type, array, 0, index++));
  }
  return array;
}

llvm::Value* loaded_pointer(llvm::Instruction& value) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&value)) {
    llvm::Type* type = load->getType();
    const bool fits = (type->isIntegerTy() && type->getIntegerBitWidth() <= 64 &&
                       type->getIntegerBitWidth() % 8 == 0) ||
                      (type->isPointerTy() && type->getPointerAddressSpace() == 0);
    return load->isSimple() && fits && load->getPointerAddressSpace() == 0
               ? load->getPointerOperand()
               : nullptr;
  }
  llvm::CallInst* hint = hint_of(&value);
  return hint == nullptr ? nullptr : hint->getArgOperand(0);
}

llvm::Type* loaded_type(llvm::Instruction& value) {
  if (!is_hint(value)) return value.getType();
  const auto* bytes = llvm::cast<llvm::ConstantInt>(value.getOperand(1));
  return llvm::Type::getIntNTy(value.getContext(),
                               8 * static_cast<unsigned>(bytes->getZExtValue()));
}

llvm::Value* put_hint(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Instruction& value) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Function* function =
      marker(module, kHint,
             llvm::FunctionType::get(builder.getInt64Ty(),
                                     {builder.getPtrTy(), builder.getInt32Ty()}, false));
  // Nobody misses one of which nothing has come.
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly(llvm::ModRefInfo::Ref));
  function->addParamAttr(
      0, llvm::Attribute::getWithCaptureInfo(module.getContext(), llvm::CaptureInfo::none()));
  const auto bytes =
      static_cast<std::uint32_t>(module.getDataLayout().getTypeStoreSize(loaded_type(value)));
  llvm::Value* hint = builder.CreateCall(function, {address, builder.getInt32(bytes)});
  return value.getType()->isPointerTy() ? builder.CreateIntToPtr(hint, value.getType())
                                        : builder.CreateTrunc(hint, value.getType());
}

llvm::PreservedAnalyses PrefetchMarkersPass::run(llvm::Module& module,
                                                 llvm::ModuleAnalysisManager&) {
  const bool has_prefetches = replace_markers(module, kPrefetches, [&](llvm::CallInst& marked) {
    move_behind_flag(marked, module);
    call_each(marked);
    llvm::BasicBlock& block = *marked.getParent();
    marked.eraseFromParent();
    delay_values(block);
  });
  const bool has_hints = replace_markers(module, kHint, replace_hint);
  return has_prefetches || has_hints ? llvm::PreservedAnalyses::none()
                                     : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
