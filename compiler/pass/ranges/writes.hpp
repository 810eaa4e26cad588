// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The instructions of a loop that may overwrite a range together, one iteration after the other.
#pragma once

#include <llvm/ADT/SmallVector.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <optional>

namespace weft::pass {

// Consecutive bytes that are written each time: by one instruction, or by several that each write a
// part of a record. All of `by` are in one loop, or in none.
struct Write {
  llvm::SmallVector<llvm::Instruction*, 4> by;
  const llvm::SCEV* first = nullptr;  // a pointer
  const llvm::SCEV* bytes = nullptr;  // of 64 bits
};

struct WritesOfBlocks {
  llvm::SmallVector<Write, 4> writes;
  // Stores that are no part of a write that goes on from iteration to iteration.
  llvm::SmallVector<llvm::Instruction*, 4> scattered;
};

// The writes of a loop, without those of the loops in it.
WritesOfBlocks writes_of(const llvm::Loop& loop, const llvm::LoopInfo& loops,
                         const llvm::DominatorTree& dominators, llvm::ScalarEvolution& evolution);

// The copies and fillings of a block that is in no loop.
WritesOfBlocks copies_of(llvm::BasicBlock& block, llvm::ScalarEvolution& evolution);

// Size and pointer of a plain load or store. Null if the size is not known to the compiler.
const llvm::SCEV* bytes_of_access(llvm::Instruction& access, llvm::ScalarEvolution& evolution);

// The number, if the compiler knows it and it can be a distance between addresses.
std::optional<std::int64_t> constant_of(const llvm::SCEV* value);

}  // namespace weft::pass
