// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/flushes/places.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Operator.h>

#include <optional>

namespace weft::pass {
namespace {

constexpr unsigned kTarget = 1U << 31;  // what the place points to

// What a variable of the function's own always holds, as parameters do that are kept in memory.
const llvm::Value* only_value(const llvm::Value* variable) {
  if (!llvm::isa<llvm::AllocaInst>(variable)) return nullptr;
  const llvm::Value* value = nullptr;
  for (const llvm::User* user : variable->users()) {
    const auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store == nullptr || store->getPointerOperand() != variable) continue;
    if (value != nullptr) return nullptr;
    value = store->getValueOperand();
  }
  return value;
}

// The field of a structure that the address is computed for, if it is one.
std::optional<Place> field_of(const llvm::GEPOperator& address) {
  const llvm::Type* type = address.getSourceElementType();
  if (!type->isStructTy() || address.getNumIndices() < 2) return std::nullopt;
  const auto* field = llvm::dyn_cast<llvm::ConstantInt>(address.getOperand(2));
  if (field == nullptr) return std::nullopt;
  return Place(type, static_cast<unsigned>(field->getZExtValue()));
}

}  // namespace

Place place_of(const llvm::Value* pointer) {
  while (true) {
    pointer = pointer->stripPointerCasts();
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer)) {
      if (const std::optional<Place> field = field_of(*address)) return *field;
      pointer = address->getPointerOperand();
      continue;
    }
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(pointer);
    if (load == nullptr) return {pointer, 0};
    const llvm::Value* value = only_value(load->getPointerOperand()->stripPointerCasts());
    if (value == nullptr) {
      const Place holder = place_of(load->getPointerOperand());
      return {holder.first, holder.second | kTarget};
    }
    pointer = value;
  }
}

bool is_among(const std::set<Place>& places, const llvm::Value* pointer) {
  while (true) {
    if (places.contains(place_of(pointer))) return true;
    // The field of what is among them is, too.
    const auto* address = llvm::dyn_cast<llvm::GEPOperator>(pointer->stripPointerCasts());
    if (address == nullptr) return false;
    pointer = address->getPointerOperand();
  }
}

}  // namespace weft::pass
