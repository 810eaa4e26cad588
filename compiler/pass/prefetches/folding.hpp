// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strides that leave no page out, said as bytes. Of a function whose short loops were unrolled,
// many shapes become the same one: the line that it works on.
#pragma once

#include "compiler/pass/prefetches/shapes.hpp"

namespace weft::pass {

// The same pages, with as few strides as the compiler knows. `is_stored`: the bytes, too, are the
// same, as what is stored to whole is another thing.
[[nodiscard]] Shape folded(Shape shape, bool is_stored, llvm::ScalarEvolution& evolution);

}  // namespace weft::pass
