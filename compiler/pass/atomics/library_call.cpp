// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/atomics/library_call.hpp"

#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>

#include <string>

#include "base/compiler_abi.h"

namespace weft::pass {
namespace {

using Kind = LibraryCall::Kind;

struct Form {
  const char* name;  // after "__atomic_"
  Kind kind;
  unsigned operation;
  // Argument types of the generic form and of the sized one: n size, p pointer, v value, o order.
  const char* generic;
  const char* sized;
};

constexpr Form kForms[] = {
    {"load", Kind::kLoad, WEFT_ATOMIC_LOAD, "nppo", "po"},
    {"store", Kind::kStore, WEFT_ATOMIC_STORE, "nppo", "pvo"},
    {"exchange", Kind::kExchange, WEFT_ATOMIC_EXCHANGE, "npppo", "pvo"},
    {"compare_exchange", Kind::kCompareExchange, WEFT_ATOMIC_COMPARE_EXCHANGE, "npppoo", "ppvoo"},
    {"fetch_add", Kind::kFetch, WEFT_ATOMIC_ADD, nullptr, "pvo"},
    {"fetch_sub", Kind::kFetch, WEFT_ATOMIC_SUBTRACT, nullptr, "pvo"},
    {"fetch_and", Kind::kFetch, WEFT_ATOMIC_AND, nullptr, "pvo"},
    {"fetch_nand", Kind::kFetch, WEFT_ATOMIC_NAND, nullptr, "pvo"},
    {"fetch_or", Kind::kFetch, WEFT_ATOMIC_OR, nullptr, "pvo"},
    {"fetch_xor", Kind::kFetch, WEFT_ATOMIC_XOR, nullptr, "pvo"},
};

bool has_type(const llvm::Value& argument, char letter, unsigned size) {
  const llvm::Type* type = argument.getType();
  switch (letter) {
    case 'n':
      return type->isIntegerTy(64);
    case 'p':
      return type->isPointerTy() && type->getPointerAddressSpace() == 0;
    case 'v':
      return type->isIntegerTy(8 * size);
    default:
      return type->isIntegerTy(32);
  }
}

bool has_arguments(const llvm::CallBase& call, llvm::StringRef letters, unsigned size) {
  if (call.arg_size() != letters.size()) return false;
  for (unsigned i = 0; i < letters.size(); ++i) {
    if (!has_type(*call.getArgOperand(i), letters[i], size)) return false;
  }
  return true;
}

bool has_result(const llvm::CallBase& call, Kind kind, unsigned size) {
  const llvm::Type* type = call.getType();
  if (kind == Kind::kCompareExchange) return type->isIntegerTy();
  return size == 0 || kind == Kind::kStore ? type->isVoidTy() : type->isIntegerTy(8 * size);
}

}  // namespace

std::optional<LibraryCall> recognise_library_call(const llvm::CallBase& call) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr || !callee->isDeclaration()) return std::nullopt;
  llvm::StringRef name = callee->getName();
  if (!name.consume_front("__atomic_")) return std::nullopt;
  unsigned size = 0;
  for (const unsigned candidate : {1U, 2U, 4U, 8U, 16U}) {
    if (name.consume_back("_" + std::to_string(candidate))) {
      size = candidate;
      break;
    }
  }
  for (const Form& form : kForms) {
    const char* letters = size == 0 ? form.generic : form.sized;
    if (name != form.name || letters == nullptr) continue;
    if (!has_arguments(call, letters, size) || !has_result(call, form.kind, size)) {
      return std::nullopt;
    }
    return LibraryCall{form.kind, size, form.operation};
  }
  return std::nullopt;
}

}  // namespace weft::pass
