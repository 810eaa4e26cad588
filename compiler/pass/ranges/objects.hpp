// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is known of the memory that is to be overwritten or fetched.
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/IR/Instructions.h>

namespace weft::pass {

// Memory of which nobody else knows, or that is too small to be of use.
bool is_not_worth_it(const llvm::Value* pointer);

// Stores that are declared to overwrite whatever they touch, in any case.
void note_overwriting(llvm::ArrayRef<llvm::Instruction*> writers);
bool is_overwriting(const llvm::Instruction& writer);

}  // namespace weft::pass
