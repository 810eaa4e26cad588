// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory as a module names it.
#pragma once

#include <llvm/IR/Value.h>

#include <set>
#include <utility>

namespace weft::pass {

// A variable or an array whatever the index, a field of a structure wherever that lies, what a
// variable points to. Two names may mean the same memory.
using Place = std::pair<const void*, unsigned>;

[[nodiscard]] Place place_of(const llvm::Value* pointer);

// Whether it points to one of these places, or into one.
[[nodiscard]] bool is_among(const std::set<Place>& places, const llvm::Value* pointer);

}  // namespace weft::pass
