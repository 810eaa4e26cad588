// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables that a parallel region only reads. The compilers capture them by address, on the stack
// of the thread that begins the region. That thread writes the page all along, so each region would
// cost the other nodes a page:
//
//     int n = ...;                          // as are bounds, and pointers to arrays
//     #pragma omp parallel for
//     for (int i = 0; i < n; ++i) a[i] = 0;
//
// Nobody can write such a variable while the region runs. So its value may come to other nodes with
// the message that begins the region, and the region gets a copy's address there.
//
// Rejected: pages of their own for captured variables. It costs each function two pages of stack,
// and another node a fault whenever a value changes.
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Tells the runtime of them by notes (src/openmp/libomp/call_note.hpp). Runs late, when the
// compiler knows what functions do with their arguments.
class RegionValuesPass : public llvm::PassInfoMixin<RegionValuesPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
