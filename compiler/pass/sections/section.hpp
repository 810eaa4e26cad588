// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One critical section that only adds, as it stands in the program.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/Instructions.h>

#include <optional>

namespace weft::pass {

struct Sum {
  llvm::StoreInst* store;  // of it, or of it and others
  llvm::Instruction* operation;
  unsigned kind;      // weft_atomic_operation
  unsigned type;      // weft_atomic_type
  llvm::Value* term;  // or the first factor of it
  llvm::Value* factor = nullptr;
};

struct Section {
  llvm::CallInst* take;  // the lock, which `lock` names
  llvm::CallInst* give_up;
  llvm::Value* lock;
  unsigned lock_kind;  // weft_lock_kind
  llvm::SmallVector<Sum, 4> sums;
  llvm::SmallVector<llvm::Instruction*, 16> terms;  // all but the sums, in their order
};

// Whether the call takes a lock, and the section behind it only adds. Moves out of it all that has
// nothing to do with the lock.
[[nodiscard]] std::optional<Section> find_section(llvm::CallInst& take);

}  // namespace weft::pass
