// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The body of a loop as the declaration of a range needs to know it: whether it runs to its end by
// itself, and which memory it reads.
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/MemoryLocation.h>

#include <memory>

namespace weft::pass {

// One read of memory: a load, or the source of a copy.
struct Read {
  llvm::Instruction* by;
  llvm::MemoryLocation where;  // of any iteration
};

struct Body {
  // Null, or why nothing can be said before the loop of what it will have stored at its end.
  const char* obstacle = nullptr;
  llvm::SmallVector<Read, 8> reads;
};

// The read of an instruction that is in no loop that counts.
Read read_of(llvm::Instruction& instruction);

class Bodies {
 public:
  // With all loops in it.
  const Body& of(const llvm::Loop& loop);

 private:
  llvm::DenseMap<const llvm::Loop*, std::unique_ptr<Body>> bodies_;
};

}  // namespace weft::pass
