// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/DataLayout.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/Module.h>

namespace weft::pass {

// Whether a pass may say where this variable lies. Only what is certain to be this module's own: of
// several definitions of one inline variable the linker takes any. Of common ones it takes the
// strictest alignment. What has a section of its own is laid out by whoever named it.
inline bool may_be_placed(const llvm::GlobalVariable& variable) {
  return (variable.isStrongDefinitionForLinker() || variable.hasCommonLinkage()) &&
         !variable.isDeclaration() && !variable.isConstant() && !variable.isThreadLocal() &&
         !variable.hasSection() && !variable.hasComdat();
}

inline std::uint64_t size_of(const llvm::GlobalVariable& variable) {
  return variable.getParent()->getDataLayout().getTypeAllocSize(variable.getValueType());
}

}  // namespace weft::pass
