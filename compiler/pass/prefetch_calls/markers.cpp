// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/prefetch_calls/markers.hpp"

#include <llvm/Transforms/Utils/Local.h>

#include <cstdlib>

#include "base/compiler_abi.h"
#include "compiler/pass/prefetch_calls/formulas.hpp"
#include "compiler/pass/prefetch_calls/sizes.hpp"
#include "compiler/pass/ranges/marked_calls.hpp"

namespace weft::pass {
namespace {

// Its operands, in this order, for each access: first, bytes, enum weft_use, the number of strides,
// the number of words of indirections, each stride's bytes and count, and these words.
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

std::uint32_t use_of(const PrefetchValues& access) {
  return access.stores ? WEFT_USE_STORES : WEFT_USE_LOADS;
}

llvm::Constant* uses_of(const Formulas& formulas, std::size_t accesses, llvm::Module& module) {
  llvm::LLVMContext& context = module.getContext();
  auto* half = llvm::Type::getInt32Ty(context);
  const llvm::ArrayRef<llvm::Constant*> constants = formulas.constants();
  auto* whole = llvm::ArrayType::get(llvm::Type::getInt64Ty(context), constants.size());
  auto* value = llvm::ConstantStruct::getAnon(
      {llvm::ConstantInt::get(half, accesses), llvm::ConstantInt::get(half, constants.size()),
       llvm::ConstantArray::get(whole, constants),
       llvm::ConstantDataArray::get(context, formulas.codes())});
  // Its address is of importance: equal ones of two places stay two.
  auto* uses = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::PrivateLinkage, value, "weft.uses");
  uses->setAlignment(llvm::Align(8));
  return uses;
}

// In the frame.
llvm::Value* array_of(llvm::ArrayRef<llvm::Value*> values, const char* name,
                      llvm::IRBuilder<>& builder) {
  llvm::Function& function = *builder.GetInsertBlock()->getParent();
  llvm::IRBuilder<> entry(&*function.getEntryBlock().getFirstInsertionPt());
  auto* type = llvm::ArrayType::get(builder.getInt64Ty(), values.size());
  llvm::Value* array = entry.CreateAlloca(type, nullptr, name);
  for (const auto& [index, value] : llvm::enumerate(values))
    builder.CreateStore(value, builder.CreateConstGEP2_64(type, array, 0, index));
  return array;
}

void for_each_number(const PrefetchValues& access, llvm::function_ref<void(llvm::Value*)> visit) {
  visit(access.first);
  visit(access.bytes);
  for (const auto& [bytes, count] : access.strides) {
    visit(bytes);
    visit(count);
  }
}

// False if there are too many values.
bool call_once(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses) {
  Formulas formulas(*builder.GetInsertBlock());
  for (const PrefetchValues& each : accesses)
    for_each_number(each, [&](llvm::Value* number) { formulas.expect(number); });
  for (const PrefetchValues& each : accesses) {
    formulas.add_byte(use_of(each));
    formulas.add_byte(each.strides.size());
    for_each_number(each, [&](llvm::Value* number) { formulas.add(number); });
  }
  if (!formulas.fit()) return false;
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  call_keeping_registers(builder, "__weft_prefetch_all",
                         {uses_of(formulas, accesses.size(), module),
                          array_of(formulas.values(), "weft.values", builder)});
  return true;
}

// So that tests can read them.
bool has_each_call() {
  const char* value = std::getenv("WEFT_PREFETCH_CALLS");
  return value != nullptr && llvm::StringRef(value) == "each";
}

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

void call_each(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses) {
  for (const PrefetchValues& each : accesses) {
    call_keeping_registers(builder, "__weft_prefetch",
                           {each.first, each.bytes, put_strides(builder, each.strides),
                            builder.getInt32(static_cast<std::uint32_t>(each.strides.size())),
                            builder.getInt32(use_of(each))});
  }
}

void call_indirect(llvm::IRBuilder<>& builder, const PrefetchValues& access) {
  llvm::SmallVector<llvm::Value*, 7> arguments = indirect_arguments(builder, access);
  arguments.push_back(builder.getInt32(use_of(access)));
  call_library(builder, "__weft_prefetch_indirect", builder.getVoidTy(), arguments);
}

// Subscripts come behind all others, as among these is the memory where they are.
void call_for(llvm::CallInst& marked) {
  llvm::IRBuilder<> builder(&marked);
  llvm::SmallVector<PrefetchValues, 4> direct, indirect;
  for (PrefetchValues& each : prefetches_of(marked))
    (each.indirections.empty() ? direct : indirect).push_back(std::move(each));
  if (direct.size() <= 1 || has_each_call() || !call_once(builder, direct))
    call_each(builder, direct);
  for (const PrefetchValues& each : indirect) call_indirect(builder, each);
  call_keeping_registers(builder, "__weft_await_prefetches", {});
}

void move_behind_size(llvm::CallInst& marked) {
  llvm::IRBuilder<> builder(&marked);
  llvm::Value* enough = may_be_enough(builder, prefetches_of(marked));
  if (enough != nullptr && !llvm::isa<llvm::Constant>(enough)) move_behind(enough, marked);
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
  for (const PrefetchValues& each : accesses) {
    values.append({each.first, each.bytes,
                   builder.getInt32(each.stores ? WEFT_USE_STORES : WEFT_USE_LOADS),
                   builder.getInt32(static_cast<std::uint32_t>(each.strides.size())),
                   builder.getInt32(static_cast<std::uint32_t>(each.indirections.size()))});
    for (const auto& [bytes, count] : each.strides) values.append({bytes, count});
    values.append(each.indirections);
  }
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::CallInst* call = builder.CreateCall(prefetches_marker(module), values);
  for (const auto& [place, value] : llvm::enumerate(values)) {
    if (!value->getType()->isPointerTy()) continue;
    call->addParamAttr(
        static_cast<unsigned>(place),
        llvm::Attribute::getWithCaptureInfo(module.getContext(), llvm::CaptureInfo::none()));
  }
  for (const PrefetchValues& each : accesses) note_range(*call, each.accesses);
}

llvm::SmallVector<PrefetchValues, 4> prefetches_of(const llvm::CallInst& marker) {
  llvm::SmallVector<PrefetchValues, 4> found;
  llvm::SmallVector<llvm::Value*, 16> values(marker.args());
  const auto number = [](const llvm::Value* value) {
    return llvm::cast<llvm::ConstantInt>(value)->getZExtValue();
  };
  constexpr std::uint64_t kHead = 5;
  for (llvm::ArrayRef<llvm::Value*> rest = values; !rest.empty();) {
    PrefetchValues each{rest[0], rest[1], {}, number(rest[2]) == WEFT_USE_STORES, {}, {}};
    const std::uint64_t end = kHead + (2 * number(rest[3])), words = number(rest[4]);
    for (std::uint64_t at = kHead; at < end; at += 2)
      each.strides.push_back({rest[at], rest[at + 1]});
    each.indirections.append(rest.begin() + end, rest.begin() + end + words);
    found.push_back(std::move(each));
    rest = rest.drop_front(end + words);
  }
  return found;
}

llvm::SmallVector<llvm::Value*, 7> indirect_arguments(llvm::IRBuilder<>& builder,
                                                      const PrefetchValues& access) {
  llvm::SmallVector<llvm::Value*, 27> words;
  for (llvm::Value* each : access.indirections) {
    words.push_back(
        each->getType()->isPointerTy() ? builder.CreatePtrToInt(each, builder.getInt64Ty()) : each);
  }
  const auto size = [&](std::size_t of) {
    return builder.getInt32(static_cast<std::uint32_t>(of));
  };
  return {access.first,
          access.bytes,
          put_strides(builder, access.strides),
          size(access.strides.size()),
          array_of(words, "weft.indirections", builder),
          size(words.size() / WEFT_INDIRECTION_WORDS)};
}

llvm::Value* put_strides(llvm::IRBuilder<>& builder,
                         llvm::ArrayRef<PrefetchValues::Stride> strides) {
  if (strides.empty()) return llvm::ConstantPointerNull::get(builder.getPtrTy());
  llvm::SmallVector<llvm::Value*, 12> values;
  for (const auto& [bytes, count] : strides) values.append({bytes, count});
  return array_of(values, "weft.strides", builder);
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
    move_behind_size(marked);
    call_for(marked);
    llvm::BasicBlock& block = *marked.getParent();
    llvm::SmallVector<llvm::WeakTrackingVH, 64> numbers(marked.args());
    marked.eraseFromParent();
    llvm::RecursivelyDeleteTriviallyDeadInstructionsPermissive(numbers);
    delay_values(block);
  });
  const bool has_hints = replace_markers(module, kHint, replace_hint);
  return has_prefetches || has_hints ? llvm::PreservedAnalyses::none()
                                     : llvm::PreservedAnalyses::all();
}

}  // namespace weft::pass
