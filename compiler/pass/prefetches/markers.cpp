// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetches/markers.hpp"

#include "base/compiler_abi.h"
#include "compiler/pass/ranges/marked_calls.hpp"

namespace weft::pass {
namespace {

constexpr const char* kPrefetches = "weft.prefetches";

// Its operands, in this order, for each access: first, bytes, enum weft_use, the number of strides,
// and each stride's bytes and count.
llvm::Function* prefetches_marker(llvm::Module& module) {
  return marker(module, kPrefetches,
                llvm::FunctionType::get(llvm::Type::getVoidTy(module.getContext()), {}, true));
}

llvm::CallInst* hint_of(llvm::Value* value) {
  if (auto* cast = llvm::dyn_cast<llvm::CastInst>(value)) value = cast->getOperand(0);
  return is_hint(*value) ? llvm::cast<llvm::CallInst>(value) : nullptr;
}

// struct weft_stride[count], in the frame.
llvm::Value* strides_in_frame(llvm::IRBuilder<>& builder, llvm::ArrayRef<llvm::Value*> values) {
  llvm::Function& function = *builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  auto* type = llvm::ArrayType::get(builder.getInt64Ty(), values.size());
  llvm::Value* array = entry.CreateAlloca(type, nullptr, "weft.strides");
  for (unsigned index = 0; index < values.size(); ++index) {
    builder.CreateStore(values[index], builder.CreateConstGEP2_64(type, array, 0, index));
  }
  return array;
}

void call_each(llvm::CallInst& marked) {
  llvm::IRBuilder<> builder(&marked);
  llvm::SmallVector<llvm::Value*, 16> values(marked.args());
  for (llvm::ArrayRef<llvm::Value*> rest = values; !rest.empty();) {
    const auto count =
        static_cast<unsigned>(llvm::cast<llvm::ConstantInt>(rest[3])->getZExtValue());
    const llvm::ArrayRef<llvm::Value*> strides = rest.slice(4, 2UL * count);
    llvm::Value* array = strides.empty() ? llvm::ConstantPointerNull::get(builder.getPtrTy())
                                         : strides_in_frame(builder, strides);
    call_library(builder, "__weft_prefetch", builder.getVoidTy(),
                 {rest[0], rest[1], array, builder.getInt32(count), rest[2]});
    rest = rest.drop_front(4 + (2UL * count));
  }
  call_library(builder, "__weft_await_prefetches", builder.getVoidTy(), {});
}

void replace_hint(llvm::CallInst& hint) {
  llvm::IRBuilder<> builder(&hint);
  hint.replaceAllUsesWith(call_library(builder, "__weft_hint_load", builder.getInt64Ty(),
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
}

llvm::Value* put_hint(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Type* type) {
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Function* function =
      marker(module, kHint,
             llvm::FunctionType::get(builder.getInt64Ty(),
                                     {builder.getPtrTy(), builder.getInt32Ty()}, false));
  // Nobody misses one of which nothing has come.
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly(llvm::ModRefInfo::Ref));
  function->addParamAttr(
      0, llvm::Attribute::getWithCaptureInfo(module.getContext(), llvm::CaptureInfo::none()));
  const auto bytes = static_cast<std::uint32_t>(module.getDataLayout().getTypeStoreSize(type));
  llvm::Value* value = builder.CreateCall(function, {address, builder.getInt32(bytes)});
  return type->isPointerTy() ? builder.CreateIntToPtr(value, type)
                             : builder.CreateTrunc(value, type);
}

llvm::Value* hinted_pointer(llvm::Value* value) {
  llvm::CallInst* hint = hint_of(value);
  return hint == nullptr ? nullptr : hint->getArgOperand(0);
}

llvm::PreservedAnalyses PrefetchMarkersPass::run(llvm::Module& module,
                                                 llvm::ModuleAnalysisManager&) {
  const bool has_prefetches = replace_markers(module, kPrefetches, [&](llvm::CallInst& marked) {
    move_behind_flag(marked, module);
    call_each(marked);
    marked.eraseFromParent();
  });
  const bool has_hints = replace_markers(module, kHint, replace_hint);
  return has_prefetches || has_hints ? llvm::PreservedAnalyses::none()
                                     : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
