// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The variables of base/compiler_abi.h that say whether other nodes have to be asked.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

namespace weft::pass {

enum class SpanFlag { kThreadsElsewhere, kSpansNodes };

// Loads the variable at the builder's place: whether it is set. It never changes while the program
// runs.
inline llvm::Value* load_flag(SpanFlag flag, llvm::IRBuilder<>& builder) {
  // Not dso_local: the variable is the library's, reached through the GOT.
  llvm::Module& module = *builder.GetInsertBlock()->getModule();
  llvm::Constant* const variable = module.getOrInsertGlobal(
      flag == SpanFlag::kSpansNodes ? "__weft_spans_nodes" : "__weft_threads_elsewhere",
      builder.getInt32Ty());
  llvm::LoadInst* const value = builder.CreateLoad(builder.getInt32Ty(), variable);
  value->setMetadata(llvm::LLVMContext::MD_invariant_load,
                     llvm::MDNode::get(builder.getContext(), {}));
  return builder.CreateIsNotNull(value, "weft.spans");
}

}  // namespace weft::pass
