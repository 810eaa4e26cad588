// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Places in the source as constants of the program: struct weft_place of base/compiler_abi.h.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringMap.h>
#include <llvm/IR/Instructions.h>

namespace weft::pass {

class Places {
 public:
  explicit Places(llvm::Module& module) : module_(module) {}

  // Of the instruction, which uses memory at `pointer`.
  llvm::Constant* of(const llvm::Instruction& instruction, const llvm::Value* pointer);

 private:
  llvm::Constant* text(llvm::StringRef text);

  llvm::Module& module_;
  llvm::StringMap<llvm::Constant*> texts_;
};

}  // namespace weft::pass
