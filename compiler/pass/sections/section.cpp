// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/sections/section.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>

#include "base/compiler_abi.h"

namespace weft::pass {
namespace {

// The runtime copies so many.
constexpr std::size_t kMostSums = WEFT_MOST_SUMS;
constexpr std::size_t kMostTerms = WEFT_MOST_TERMS;

struct LockCall {
  const char* take;
  const char* give_up;
  unsigned argument;  // which is the lock
  unsigned kind;
};
constexpr LockCall kLockCalls[] = {
    {"omp_set_lock", "omp_unset_lock", 0, WEFT_LOCK_VARIABLE},
    {"omp_set_lock_", "omp_unset_lock_", 0, WEFT_LOCK_VARIABLE},
    {"__kmpc_critical", "__kmpc_end_critical", 2, WEFT_LOCK_CRITICAL},
    {"__kmpc_critical_with_hint", "__kmpc_end_critical", 2, WEFT_LOCK_CRITICAL},
};

llvm::StringRef callee_of(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  if (call == nullptr || call->getCalledFunction() == nullptr) return {};
  return call->getCalledFunction()->getName();
}

const LockCall* lock_call(const llvm::CallInst& take) {
  for (const LockCall& form : kLockCalls) {
    if (callee_of(take) == form.take && take.arg_size() > form.argument) return &form;
  }
  return nullptr;
}

// It does nothing but compute.
bool only_computes(const llvm::Instruction& instruction) {
  return !instruction.mayReadOrWriteMemory() && !instruction.isTerminator() &&
         !llvm::isa<llvm::PHINode, llvm::AllocaInst>(instruction) &&
         llvm::isSafeToSpeculativelyExecute(&instruction);
}

bool is_plain_word(const llvm::Instruction& access) {
  const llvm::Type* type = llvm::getLoadStoreType(&access);
  const bool is_simple = llvm::isa<llvm::LoadInst>(access)
                             ? llvm::cast<llvm::LoadInst>(access).isSimple()
                             : llvm::cast<llvm::StoreInst>(access).isSimple();
  if (!is_simple || llvm::getLoadStorePointerOperand(&access)->getType()->getPointerAddressSpace())
    return false;
  const auto bits = access.getDataLayout().getTypeSizeInBits(const_cast<llvm::Type*>(type));
  return !bits.isScalable() && bits % 8 == 0;
}

std::optional<unsigned> integer_operation(unsigned opcode) {
  switch (opcode) {
    case llvm::Instruction::Add:
      return WEFT_ATOMIC_ADD;
    case llvm::Instruction::Sub:
      return WEFT_ATOMIC_SUBTRACT;
    case llvm::Instruction::And:
      return WEFT_ATOMIC_AND;
    case llvm::Instruction::Or:
      return WEFT_ATOMIC_OR;
    case llvm::Instruction::Xor:
      return WEFT_ATOMIC_XOR;
    default:
      return std::nullopt;
  }
}

bool is_target(const llvm::Value* value, const llvm::StoreInst& store) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  return load != nullptr && load->isSimple() && load->hasOneUse() &&
         load->getParent() == store.getParent() &&
         load->getPointerOperand() == store.getPointerOperand();
}

std::optional<unsigned> kind_of(const llvm::Instruction& operation) {
  if (!llvm::isa<llvm::BinaryOperator>(operation)) return std::nullopt;
  if (!operation.getType()->isFloatingPointTy()) return integer_operation(operation.getOpcode());
  if (operation.getOpcode() == llvm::Instruction::FAdd) return WEFT_ATOMIC_FLOAT_ADD;
  if (operation.getOpcode() == llvm::Instruction::FSub) return WEFT_ATOMIC_FLOAT_SUBTRACT;
  return std::nullopt;
}

using Sums = llvm::SmallVectorImpl<Sum>;
bool read_operation(llvm::StoreInst& store, llvm::Instruction& operation, Sums& sums);

// What there was, or that and other terms: those are added first.
bool leads_to_target(llvm::Value* value, llvm::StoreInst& store, Sums& sums) {
  if (is_target(value, store)) return true;
  auto* operation = llvm::dyn_cast<llvm::Instruction>(value);
  return operation != nullptr && operation->hasOneUse() && sums.size() < kMostSums &&
         operation->getParent() == store.getParent() && read_operation(store, *operation, sums);
}

// old op term, or old + first * second where the program leaves it open whether that is rounded
// once.
bool read_operation(llvm::StoreInst& store, llvm::Instruction& operation, Sums& sums) {
  Sum sum{.store = &store,
          .operation = &operation,
          .kind = WEFT_ATOMIC_FLOAT_ADD,
          .type = WEFT_TYPE_INTEGER,
          .term = nullptr};
  if (operation.getType()->isFloatTy()) sum.type = WEFT_TYPE_FLOAT;
  if (operation.getType()->isDoubleTy()) sum.type = WEFT_TYPE_DOUBLE;
  if (const auto* both = llvm::dyn_cast<llvm::IntrinsicInst>(&operation)) {
    if (both->getIntrinsicID() != llvm::Intrinsic::fmuladd) return false;
    if (!leads_to_target(both->getArgOperand(2), store, sums)) return false;
    sum.term = both->getArgOperand(0);
    sum.factor = both->getArgOperand(1);
    sums.push_back(sum);
    return true;
  }
  const std::optional<unsigned> kind = kind_of(operation);
  if (!kind) return false;
  sum.kind = *kind;
  const unsigned operands = operation.isCommutative() ? 2 : 1;
  for (unsigned target = 0; target < operands; ++target) {
    if (!leads_to_target(operation.getOperand(target), store, sums)) continue;
    sum.term = operation.getOperand(1 - target);
    sums.push_back(sum);
    return true;
  }
  return false;
}

// In the order in which they are done.
bool read_sums(llvm::StoreInst& store, Sums& sums) {
  auto* operation = llvm::dyn_cast<llvm::Instruction>(store.getValueOperand());
  if (operation == nullptr || !operation->hasOneUse() || !is_plain_word(store)) return false;
  llvm::Type* type = operation->getType();
  const bool is_float = type->isFloatTy() || type->isDoubleTy();
  const auto bytes = store.getDataLayout().getTypeStoreSize(type).getKnownMinValue();
  const bool is_integer = type->isIntegerTy() && type->getIntegerBitWidth() == 8 * bytes;
  if ((!is_float && !is_integer) || bytes > 8 || !llvm::isPowerOf2_64(bytes)) return false;
  return store.getAlign().value() >= bytes && read_operation(store, *operation, sums);
}

bool is_inside(const llvm::Value* value, const Section& section) {
  const auto* at = llvm::dyn_cast<llvm::Instruction>(value);
  return at != nullptr && at->getParent() == section.take->getParent() &&
         section.take->comesBefore(at) && at->comesBefore(section.give_up);
}

void move_out(Section& section) {
  for (llvm::Instruction* at = section.take->getNextNode(); at != section.give_up;) {
    llvm::Instruction* next = at->getNextNode();
    const bool depends = llvm::any_of(
        at->operands(), [&](const llvm::Use& use) { return is_inside(use.get(), section); });
    if (only_computes(*at) && !depends && !llvm::isa<llvm::DbgInfoIntrinsic>(at)) {
      at->moveBefore(section.take->getIterator());
    }
    at = next;
  }
}

// The parts of sums, which are nothing else.
using Parts = llvm::SmallPtrSet<const llvm::Instruction*, 16>;

// To the same word, perhaps: then that store would be undone, and is no sum.
bool stores_between(llvm::Instruction& load, const llvm::StoreInst& store) {
  for (const llvm::Instruction* at = &load; at != &store; at = at->getNextNode()) {
    if (llvm::isa<llvm::StoreInst>(at)) return true;
  }
  return false;
}

bool add_parts(const llvm::SmallVectorImpl<Sum>& sums, const Section& section, Parts& parts) {
  for (const Sum& sum : sums) {
    if (!is_inside(sum.operation, section)) return false;
    parts.insert(sum.operation);
    for (const llvm::Use& operand : sum.operation->operands()) {
      if (!is_target(operand.get(), *sum.store)) continue;
      auto* load = llvm::cast<llvm::Instruction>(operand.get());
      if (!is_inside(load, section) || stores_between(*load, *sum.store)) return false;
      parts.insert(load);
    }
  }
  return true;
}

bool read_stores(Section& section, Parts& parts) {
  for (llvm::Instruction* at = section.take->getNextNode(); at != section.give_up;
       at = at->getNextNode()) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(at);
    if (store == nullptr) continue;
    llvm::SmallVector<Sum, 4> sums;
    if (!read_sums(*store, sums)) return false;
    parts.insert(store);
    if (!add_parts(sums, section, parts)) return false;
    section.sums.append(sums);
  }
  return !section.sums.empty() && section.sums.size() <= kMostSums;
}

bool is_from_loaded_pointer(const llvm::Value* value, const Section& section) {
  if (!is_inside(value, section)) return false;
  const auto* at = llvm::cast<llvm::Instruction>(value);
  if (llvm::isa<llvm::LoadInst>(at)) return at->getType()->isPointerTy();
  return llvm::any_of(at->operands(), [&](const llvm::Use& use) {
    return is_from_loaded_pointer(use.get(), section);
  });
}

bool read_terms(Section& section, const Parts& parts) {
  std::size_t loads = 0;
  for (llvm::Instruction* at = section.take->getNextNode(); at != section.give_up;
       at = at->getNextNode()) {
    const bool leaves = llvm::any_of(
        at->users(), [&](const llvm::User* user) { return !is_inside(user, section); });
    if (leaves) return false;
    if (parts.contains(at) || llvm::isa<llvm::DbgInfoIntrinsic>(at)) continue;
    if (llvm::isa<llvm::LoadInst>(at)) {
      // An address that is loaded under the lock may be none without it. (Targets are looked at
      // with the right alone.)
      const llvm::Value* address = llvm::getLoadStorePointerOperand(at);
      if (!is_plain_word(*at) || is_from_loaded_pointer(address, section)) return false;
      if (++loads > kMostTerms) return false;
    } else if (!only_computes(*at)) {
      return false;
    }
    section.terms.push_back(at);
  }
  return true;
}

}  // namespace

std::optional<Section> find_section(llvm::CallInst& take) {
  const LockCall* form = lock_call(take);
  if (form == nullptr) return std::nullopt;
  Section section{.take = &take,
                  .give_up = nullptr,
                  .lock = take.getArgOperand(form->argument),
                  .lock_kind = form->kind,
                  .sums = {},
                  .terms = {}};
  for (llvm::Instruction* at = take.getNextNode(); at != nullptr; at = at->getNextNode()) {
    if (callee_of(*at) == form->give_up) section.give_up = llvm::cast<llvm::CallInst>(at);
    if (section.give_up != nullptr || at->isTerminator()) break;
  }
  if (section.give_up == nullptr || section.give_up->arg_size() <= form->argument ||
      section.give_up->getArgOperand(form->argument) != section.lock) {
    return std::nullopt;
  }
  move_out(section);
  Parts parts;
  if (!read_stores(section, parts) || !read_terms(section, parts)) return std::nullopt;
  return section;
}

}  // namespace weft::pass
