// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a statement of inline assembler (x86-64, AT&T syntax as LLVM keeps it) for an atomic
// instruction: one with a lock prefix, or an xchg with memory.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstrTypes.h>

namespace weft::pass {

struct AtomicStatement {
  enum class Kind {
    kPlain,          // it has none
    kFence,          // mfence, or an atomic instruction on the stack, which is used as one
    kOneWord,        // it can be run again on a copy of one word in memory
    kNotUnderstood,  // it has one, and more beside it than can be run again
  };
  Kind kind = Kind::kPlain;
  // Of kOneWord: the word's bits, and the arguments of the call that are its address.
  unsigned bits = 0;
  llvm::SmallVector<unsigned, 2> addresses;
};

[[nodiscard]] AtomicStatement read_statement(const llvm::CallBase& call);

}  // namespace weft::pass
