// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/calls/call_notes.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/IR/Module.h>

namespace weft::pass {
namespace {

// The call's position, if it is a constant without a note.
llvm::ConstantStruct* position_of(const llvm::CallInst& call) {
  auto* position = llvm::dyn_cast<llvm::GlobalVariable>(call.getArgOperand(0)->stripPointerCasts());
  if (position == nullptr || !position->hasInitializer()) return nullptr;
  auto* fields = llvm::dyn_cast<llvm::ConstantStruct>(position->getInitializer());
  if (fields == nullptr || fields->getNumOperands() != 5 || !fields->getOperand(0)->isNullValue()) {
    return nullptr;
  }
  return fields;
}

}  // namespace

void attach_note(llvm::CallInst& call, std::uint32_t flags,
                 const std::vector<openmp::ReducedItem>& items) {
  llvm::ConstantStruct* position = position_of(call);
  if (position == nullptr) return;
  llvm::Module& module = *call.getModule();
  llvm::Type* word = llvm::Type::getInt32Ty(module.getContext());
  llvm::Type* number = llvm::Type::getInt64Ty(module.getContext());
  std::vector<llvm::Constant*> fields;
  for (unsigned index = 0; index < 5; ++index) fields.push_back(position->getOperand(index));
  fields[0] = llvm::ConstantInt::get(word, openmp::CallNote::kMark);
  std::vector<llvm::Constant*> parts = {llvm::ConstantStruct::get(position->getType(), fields),
                                        llvm::ConstantInt::get(word, flags),
                                        llvm::ConstantInt::get(word, items.size())};
  for (const openmp::ReducedItem& item : items) {
    parts.push_back(llvm::ConstantInt::get(number, static_cast<std::uint64_t>(item.kind)));
    parts.push_back(llvm::ConstantInt::get(number, item.bytes));
  }
  auto* contents = llvm::ConstantStruct::getAnon(parts);
  auto* note = new llvm::GlobalVariable(module, contents->getType(), /*isConstant=*/true,
                                        llvm::GlobalValue::PrivateLinkage, contents, "weft.note");
  note->setAlignment(llvm::Align(8));
  call.setArgOperand(0, note);
}

std::uint64_t flags_of(const llvm::CallInst& call) {
  const auto* flags = llvm::dyn_cast<llvm::ConstantInt>(position_of(call)->getOperand(1));
  return flags == nullptr ? 0 : flags->getZExtValue();
}

std::vector<llvm::CallInst*> calls_of(llvm::Module& module, llvm::StringRef name) {
  std::vector<llvm::CallInst*> calls;
  llvm::Function* function = module.getFunction(name);
  if (function == nullptr) return calls;
  for (llvm::User* user : function->users()) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    if (call != nullptr && call->getCalledFunction() == function && position_of(*call) != nullptr) {
      calls.push_back(call);
    }
  }
  return calls;
}

}  // namespace weft::pass
