// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Prefetches in the program's code. While optimisations are under way, those of a loop are one
// marker (ranges/marked_calls.hpp); PrefetchMarkersPass replaces it at the end by
//
//     if (__weft_spans_nodes != 0 && the loop may be long enough) {
//       __weft_prefetch_all(uses, values);
//       __weft_await_prefetches();
//     }
//
// or __weft_prefetch, of one access; and __weft_prefetch_indirect for each that goes by subscripts.
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
  llvm::SmallVector<llvm::Instruction*, 4> accesses;  // which are that; not kept in the marker
  // The words of struct weft_indirection, of one after the other. `base` may be a pointer.
  llvm::SmallVector<llvm::Value*, 0> indirections;
};

void put_prefetches(llvm::IRBuilder<>& builder, llvm::ArrayRef<PrefetchValues> accesses);

// Of a marker.
llvm::SmallVector<PrefetchValues, 4> prefetches_of(const llvm::CallInst& marker);
// struct weft_stride[], in the frame. Null if there are none.
llvm::Value* put_strides(llvm::IRBuilder<>& builder,
                         llvm::ArrayRef<PrefetchValues::Stride> strides);

// The arguments of __weft_prefetch_indirect, without the use.
llvm::SmallVector<llvm::Value*, 7> indirect_arguments(llvm::IRBuilder<>& builder,
                                                      const PrefetchValues& access);

// The address that the value, or what it is a guess of, is loaded from; null if it is not loaded,
// or no such guess can be made of it.
llvm::Value* loaded_pointer(llvm::Instruction& value);
// And the type there: an integer or a pointer. A guess may be wider.
llvm::Type* loaded_type(llvm::Instruction& value);

// The same of what is at `address`, as a guess that does not fault.
llvm::Value* put_hint(llvm::IRBuilder<>& builder, llvm::Value* address, llvm::Instruction& value);

class PrefetchMarkersPass : public llvm::PassInfoMixin<PrefetchMarkersPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
