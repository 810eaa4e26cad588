// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a call before a loop can be worth making, by a look at the loop's length: before one of
// two or three steps, deep in a recursion, the call takes longer than the loop.
#pragma once

#include "compiler/pass/prefetch_calls/markers.hpp"

namespace weft::pass {

// False there: each access has fewer than fewest_bytes(), or too few pages. Null if that takes more
// than two comparisons to say, or accesses go by subscripts.
llvm::Value* may_be_enough(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses);

}  // namespace weft::pass
