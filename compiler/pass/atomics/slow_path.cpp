// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/slow_path.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/LowerAtomic.h>

#include <optional>

#include "base/compiler_abi.h"
#include "compiler/pass/atomics/compiler_barriers.hpp"
#include "compiler/pass/atomics/marked_fences.hpp"

namespace weft::pass {
namespace {

using Builder = llvm::IRBuilder<>;
using Operation = llvm::AtomicRMWInst;

constexpr unsigned kSlotBytes = 16;

std::optional<unsigned> operation_number(Operation::BinOp operation) {
  switch (operation) {
    case Operation::Xchg:
      return WEFT_ATOMIC_EXCHANGE;
    case Operation::Add:
      return WEFT_ATOMIC_ADD;
    case Operation::Sub:
      return WEFT_ATOMIC_SUBTRACT;
    case Operation::And:
      return WEFT_ATOMIC_AND;
    case Operation::Nand:
      return WEFT_ATOMIC_NAND;
    case Operation::Or:
      return WEFT_ATOMIC_OR;
    case Operation::Xor:
      return WEFT_ATOMIC_XOR;
    case Operation::Max:
      return WEFT_ATOMIC_MAX;
    case Operation::Min:
      return WEFT_ATOMIC_MIN;
    case Operation::UMax:
      return WEFT_ATOMIC_UNSIGNED_MAX;
    case Operation::UMin:
      return WEFT_ATOMIC_UNSIGNED_MIN;
    case Operation::UIncWrap:
      return WEFT_ATOMIC_INCREMENT_WRAP;
    case Operation::UDecWrap:
      return WEFT_ATOMIC_DECREMENT_WRAP;
    case Operation::USubCond:
      return WEFT_ATOMIC_SUBTRACT_CONDITIONAL;
    case Operation::USubSat:
      return WEFT_ATOMIC_SUBTRACT_SATURATE;
    case Operation::FAdd:
      return WEFT_ATOMIC_FLOAT_ADD;
    case Operation::FSub:
      return WEFT_ATOMIC_FLOAT_SUBTRACT;
    case Operation::FMax:
      return WEFT_ATOMIC_FLOAT_MAX;
    case Operation::FMin:
      return WEFT_ATOMIC_FLOAT_MIN;
    default:
      return std::nullopt;
  }
}

std::optional<unsigned> type_number(const llvm::AtomicRMWInst& update) {
  if (!update.isFloatingPointOperation()) return WEFT_TYPE_INTEGER;
  switch (update.getType()->getTypeID()) {
    case llvm::Type::HalfTyID:
      return WEFT_TYPE_HALF;
    case llvm::Type::BFloatTyID:
      return WEFT_TYPE_BFLOAT;
    case llvm::Type::FloatTyID:
      return WEFT_TYPE_FLOAT;
    case llvm::Type::DoubleTyID:
      return WEFT_TYPE_DOUBLE;
    case llvm::Type::X86_FP80TyID:
      return WEFT_TYPE_X87;
    case llvm::Type::FP128TyID:
      return WEFT_TYPE_QUAD;
    default:
      return std::nullopt;
  }
}

// Turns the int of a compare-exchange into what the program's call returns (i1 or a wider bool).
llvm::Value* as_boolean(Builder& builder, llvm::Value* done, llvm::Type* type) {
  return builder.CreateZExtOrTrunc(builder.CreateIsNotNull(done), type);
}

}  // namespace

SlowPath::SlowPath(llvm::Function& function) : function_(function), waiting_loads_(function) {}

void SlowPath::announce(llvm::Instruction& operation) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&operation)) waiting_loads_.note(*load);
  if (is_beside_compiler_barrier(operation)) beside_barriers_.insert(&operation);
}

llvm::Value* SlowPath::emit(Builder& builder, llvm::Instruction& operation) {
  if (auto* load = llvm::dyn_cast<llvm::LoadInst>(&operation)) return emit_load(builder, *load);
  if (auto* store = llvm::dyn_cast<llvm::StoreInst>(&operation)) return emit_store(builder, *store);
  if (auto* update = llvm::dyn_cast<Operation>(&operation)) return emit_update(builder, *update);
  if (auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&operation)) {
    return emit_compare_exchange(builder, *exchange);
  }
  if (auto* fence = llvm::dyn_cast<llvm::FenceInst>(&operation)) {
    emit_fence(builder, *fence);
    return nullptr;
  }
  auto& library_call = llvm::cast<llvm::CallBase>(operation);
  const LibraryCall form = recognise_library_call(library_call).value();
  return form.size == 0 ? emit_generic_call(builder, library_call, form)
                        : emit_sized_call(builder, library_call, form);
}

void SlowPath::emit_fence(Builder& builder, llvm::FenceInst& fence) {
  const FenceMark mark = mark_of(fence);
  if (mark == FenceMark::kOriginal) return (void)call(builder, "__weft_wrote_original", {});
  call(builder, "__weft_fence",
       {mark == FenceMark::kPolled
            ? number(WEFT_ORDER_POLLED)
            : order_of(fence, fence.getOrdering(), llvm::AtomicOrdering::AcquireRelease)});
}

llvm::Value* SlowPath::emit_load(Builder& builder, llvm::LoadInst& load) {
  llvm::Value* order = load.isAtomic()
                           ? order_of(load, load.getOrdering(), llvm::AtomicOrdering::Acquire)
                           : number(WEFT_ORDER_VOLATILE);
  if (llvm::Value* mark = waiting_loads_.mark_of(load)) order = builder.CreateOr(order, mark);
  call_load(builder, load.getPointerOperand(), slot(kResult), size_of(load.getType()), order);
  return builder.CreateLoad(load.getType(), slot(kResult));
}

llvm::Value* SlowPath::emit_store(Builder& builder, llvm::StoreInst& store) {
  llvm::Value* value = store.getValueOperand();
  call_store(builder, store.getPointerOperand(), put(builder, kOperand, value),
             size_of(value->getType()),
             store.isAtomic() ? order_of(store, store.getOrdering(), llvm::AtomicOrdering::Release)
                              : number(WEFT_ORDER_VOLATILE));
  return nullptr;
}

llvm::Value* SlowPath::emit_update(Builder& builder, llvm::AtomicRMWInst& update) {
  const std::optional<unsigned> operation = operation_number(update.getOperation());
  const std::optional<unsigned> type = type_number(update);
  if (!operation || !type) return emit_update_loop(builder, update);
  llvm::Value* old =
      update.use_empty()
          ? static_cast<llvm::Value*>(llvm::ConstantPointerNull::get(builder.getPtrTy()))
          : slot(kResult);
  call_update(builder, update.getPointerOperand(), put(builder, kOperand, update.getValOperand()),
              old, size_of(update.getType()), *operation, *type,
              order_of(update, update.getOrdering(), llvm::AtomicOrdering::AcquireRelease));
  return update.use_empty() ? nullptr : builder.CreateLoad(update.getType(), slot(kResult));
}

llvm::Value* SlowPath::emit_compare_exchange(Builder& builder, llvm::AtomicCmpXchgInst& exchange) {
  llvm::Type* type = exchange.getCompareOperand()->getType();
  llvm::Value* expected = put(builder, kResult, exchange.getCompareOperand());
  llvm::Value* desired = put(builder, kOperand, exchange.getNewValOperand());
  llvm::Value* failure =
      order_of(exchange, exchange.getFailureOrdering(), llvm::AtomicOrdering::Acquire);
  llvm::Value* done = call_compare_exchange(
      builder, exchange.getPointerOperand(), expected, desired, size_of(type),
      order_of(exchange, exchange.getSuccessOrdering(), llvm::AtomicOrdering::AcquireRelease),
      failure);
  llvm::Value* before = builder.CreateLoad(type, expected);
  llvm::Value* pair = llvm::PoisonValue::get(exchange.getType());
  pair = builder.CreateInsertValue(pair, before, 0);
  return builder.CreateInsertValue(pair, builder.CreateIsNotNull(done), 1);
}

// An operation that has no number (the IEEE 754-2019 maximum, vectors): a loop of compare-exchange.
llvm::Value* SlowPath::emit_update_loop(Builder& builder, llvm::AtomicRMWInst& update) {
  llvm::Type* type = update.getType();
  llvm::Value* pointer = update.getPointerOperand();
  llvm::ConstantInt* order =
      order_of(update, update.getOrdering(), llvm::AtomicOrdering::AcquireRelease);
  call_load(builder, pointer, slot(kResult), size_of(type), number(0));

  llvm::BasicBlock* before = builder.GetInsertBlock();
  llvm::BasicBlock* after = llvm::SplitBlock(before, builder.GetInsertPoint());
  llvm::BasicBlock* loop =
      llvm::BasicBlock::Create(builder.getContext(), "weft.again", &function_, after);
  before->getTerminator()->setSuccessor(0, loop);
  builder.SetInsertPoint(loop);
  llvm::Value* old = builder.CreateLoad(type, slot(kResult));
  llvm::Value* changed =
      llvm::buildAtomicRMWValue(update.getOperation(), builder, old, update.getValOperand());
  llvm::Value* done =
      call_compare_exchange(builder, pointer, slot(kResult), put(builder, kOperand, changed),
                            size_of(type), order, number(0));
  builder.CreateCondBr(builder.CreateIsNotNull(done), after, loop);
  builder.SetInsertPoint(after, after->getFirstInsertionPt());
  return old;
}

llvm::Value* SlowPath::emit_generic_call(Builder& builder, llvm::CallBase& given,
                                         const LibraryCall& form) {
  llvm::Value* size = builder.CreateTrunc(given.getArgOperand(0), builder.getInt32Ty());
  llvm::Value* pointer = given.getArgOperand(1);
  llvm::Value* second = given.getArgOperand(2);
  llvm::Value* third = given.getArgOperand(3);  // an order, or a pointer
  switch (form.kind) {
    case LibraryCall::Kind::kLoad:
      call_load(builder, pointer, second, size, third);
      return nullptr;
    case LibraryCall::Kind::kStore:
      call_store(builder, pointer, second, size, third);
      return nullptr;
    case LibraryCall::Kind::kExchange:
      call_update(builder, pointer, second, third, size, WEFT_ATOMIC_EXCHANGE, WEFT_TYPE_INTEGER,
                  given.getArgOperand(4));
      return nullptr;
    default:
      break;
  }
  llvm::Value* done = call_compare_exchange(builder, pointer, second, third, size,
                                            given.getArgOperand(4), given.getArgOperand(5));
  return as_boolean(builder, done, given.getType());
}

llvm::Value* SlowPath::emit_sized_call(Builder& builder, llvm::CallBase& given,
                                       const LibraryCall& form) {
  llvm::Value* size = number(form.size);
  llvm::Value* pointer = given.getArgOperand(0);
  llvm::Value* second = given.getArgOperand(1);
  switch (form.kind) {
    case LibraryCall::Kind::kLoad:
      call_load(builder, pointer, slot(kResult), size, second);
      return builder.CreateLoad(given.getType(), slot(kResult));
    case LibraryCall::Kind::kStore:
      call_store(builder, pointer, put(builder, kOperand, second), size, given.getArgOperand(2));
      return nullptr;
    case LibraryCall::Kind::kExchange:
    case LibraryCall::Kind::kFetch:
      call_update(builder, pointer, put(builder, kOperand, second), slot(kResult), size,
                  form.operation, WEFT_TYPE_INTEGER, given.getArgOperand(2));
      return builder.CreateLoad(given.getType(), slot(kResult));
    default:
      break;
  }
  llvm::Value* desired = put(builder, kOperand, given.getArgOperand(2));
  llvm::Value* done = call_compare_exchange(builder, pointer, second, desired, size,
                                            given.getArgOperand(3), given.getArgOperand(4));
  return as_boolean(builder, done, given.getType());
}

void SlowPath::call_load(Builder& builder, llvm::Value* pointer, llvm::Value* out,
                         llvm::Value* size, llvm::Value* order) {
  call(builder, "__weft_atomic_load", {pointer, out, size, order});
}

void SlowPath::call_store(Builder& builder, llvm::Value* pointer, llvm::Value* value,
                          llvm::Value* size, llvm::Value* order) {
  call(builder, "__weft_atomic_store", {pointer, value, size, order});
}

void SlowPath::call_update(Builder& builder, llvm::Value* pointer, llvm::Value* operand,
                           llvm::Value* old, llvm::Value* size, unsigned operation, unsigned type,
                           llvm::Value* order) {
  call(builder, "__weft_atomic_rmw",
       {pointer, operand, old, size, number(operation), number(type), order});
}

llvm::Value* SlowPath::call_compare_exchange(Builder& builder, llvm::Value* pointer,
                                             llvm::Value* expected, llvm::Value* desired,
                                             llvm::Value* size, llvm::Value* success,
                                             llvm::Value* failure) {
  return call(builder, "__weft_atomic_compare_exchange",
              {pointer, expected, desired, size, success, failure}, builder.getInt32Ty());
}

llvm::Value* SlowPath::call(Builder& builder, const char* name,
                            llvm::ArrayRef<llvm::Value*> arguments, llvm::Type* result) {
  llvm::SmallVector<llvm::Type*, 8> types;
  for (llvm::Value* argument : arguments) types.push_back(argument->getType());
  auto* type =
      llvm::FunctionType::get(result != nullptr ? result : builder.getVoidTy(), types, false);
  llvm::FunctionCallee callee = function_.getParent()->getOrInsertFunction(name, type);
  llvm::CallInst* made = builder.CreateCall(callee, arguments);
  made->setDoesNotThrow();
  made->addFnAttr(llvm::Attribute::Cold);
  return made;
}

llvm::AllocaInst* SlowPath::slot(Slot which) {
  if (slots_[which] == nullptr) {
    Builder builder(&*function_.getEntryBlock().getFirstInsertionPt());
    builder.SetCurrentDebugLocation(llvm::DebugLoc());
    llvm::AllocaInst* made =
        builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), kSlotBytes));
    made->setAlignment(llvm::Align(kSlotBytes));
    slots_[which] = made;
  }
  return slots_[which];
}

llvm::Value* SlowPath::put(Builder& builder, Slot which, llvm::Value* value) {
  builder.CreateStore(value, slot(which));
  return slot(which);
}

llvm::ConstantInt* SlowPath::number(unsigned value) {
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(function_.getContext()), value);
}

llvm::ConstantInt* SlowPath::order_of(const llvm::Instruction& operation,
                                      llvm::AtomicOrdering given,
                                      llvm::AtomicOrdering beside_barrier) {
  const bool is_given =
      !beside_barriers_.contains(&operation) || llvm::isStrongerThanMonotonic(given);
  return number(static_cast<unsigned>(llvm::toCABI(is_given ? given : beside_barrier)));
}

llvm::ConstantInt* SlowPath::size_of(llvm::Type* type) {
  const llvm::DataLayout& layout = function_.getParent()->getDataLayout();
  return number(static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue()));
}

}  // namespace weft::pass
