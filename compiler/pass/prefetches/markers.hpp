// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches in the program's code. While optimisations are under way, those of a loop are one
// marker (ranges/marked_calls.hpp); PrefetchMarkersPass replaces it at the end by
//
//     if (__weft_spans_nodes != 0) { __weft_prefetch(first, bytes, strides, 2); ...
//                                   __weft_await_prefetches(); }
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/PassManager.h>

namespace weft::pass {

// One access, with its values: struct weft_stride of base/compiler_abi.h.
struct PrefetchValues {
  struct Stride {
    llvm::Value* bytes;
    llvm::Value* count;
  };
  llvm::Value* first = nullptr;
  llvm::Value* bytes = nullptr;
  llvm::SmallVector<Stride, 4> strides;
  bool stores = false;
};

void put_prefetches(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses);

// What `address` points to, as a guess that does not fault: an integer or a pointer.
llvm::Value* put_hint(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Type* type);
// The address, if the value is such a guess; null if not.
llvm::Value* hinted_pointer(llvm::Value* value);

class PrefetchMarkersPass : public llvm::PassInfoMixin<PrefetchMarkersPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
