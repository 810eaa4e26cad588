// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How passes leave notes for the runtime at calls of OpenMP's entry points
// (openmp/libomp/call_note.hpp).
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/Instructions.h>

#include <cstdint>
#include <vector>

#include "openmp/libomp/call_note.hpp"

namespace weft::pass {

// The most that an allocation in a message is aligned to.
inline constexpr std::uint64_t kMostAlignment = 16;

// The module's calls of this function that can have a note and have none yet.
[[nodiscard]] std::vector<llvm::CallInst*> calls_of(llvm::Module& module, llvm::StringRef name);

// The flags of such a call's position.
[[nodiscard]] std::uint64_t flags_of(const llvm::CallInst& call);

// Gives such a call a position of its own, with the note behind it.
void attach_note(llvm::CallInst& call, std::uint32_t flags,
                 const std::vector<openmp::ReducedItem>& items = {});

}  // namespace weft::pass
