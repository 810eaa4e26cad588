// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/checks/places.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>

namespace weft::pass {
namespace {

llvm::GlobalVariable* constant(llvm::Module& module, llvm::Constant* value) {
  auto* variable = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value, "weft.place");
  variable->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);  // equal ones become one
  return variable;
}

}  // namespace

llvm::Constant* Places::of(const llvm::Instruction& instruction, const llvm::Value* pointer) {
  llvm::LLVMContext& context = module_.getContext();
  const llvm::DebugLoc& where = instruction.getDebugLoc();
  const llvm::Function& function = *instruction.getFunction();
  const auto* variable =
      llvm::dyn_cast<llvm::GlobalVariable>(llvm::getUnderlyingObject(pointer, 0));
  auto* integer = llvm::Type::getInt32Ty(context);
  auto* null = llvm::ConstantPointerNull::get(llvm::PointerType::get(context, 0));
  return constant(
      module_,
      llvm::ConstantStruct::getAnon(
          {text(where ? where->getFilename() : llvm::StringRef(module_.getSourceFileName())),
           text(function.getName()), variable == nullptr ? null : text(variable->getName()),
           llvm::ConstantInt::get(integer, where ? where.getLine() : 0),
           llvm::ConstantInt::get(integer, where ? where.getCol() : 0)}));
}

llvm::Constant* Places::text(llvm::StringRef text) {
  llvm::Constant*& known = texts_[text];
  if (known == nullptr) {
    known = constant(module_, llvm::ConstantDataArray::getString(module_.getContext(), text));
  }
  return known;
}

}  // namespace weft::pass
