// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls of the compiler's atomic support library (libatomic), which clang and flang emit where the
// processor has no instruction: odd sizes, more than 8 or 16 bytes, doubtful alignment.
#pragma once

#include <llvm/IR/InstrTypes.h>

#include <optional>

namespace weft::pass {

struct LibraryCall {
  enum class Kind { kLoad, kStore, kExchange, kCompareExchange, kFetch };
  Kind kind;
  // 0: the generic form, with the size as first argument and values by reference. Else N of the
  // sized form, e.g. __atomic_load_8, with values in registers.
  unsigned size;
  unsigned operation;  // for kFetch, a weft_atomic_operation

  [[nodiscard]] llvm::Value* pointer(const llvm::CallBase& call) const {
    return call.getArgOperand(size == 0 ? 1 : 0);
  }
};

// What the call is, if it is one of these functions with the arguments that they should have.
[[nodiscard]] std::optional<LibraryCall> recognise_library_call(const llvm::CallBase& call);

}  // namespace weft::pass
