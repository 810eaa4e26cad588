// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Makes the program's atomic operations atomic across nodes. Each atomic load, store, atomicrmw,
// cmpxchg and fence, and each call of an __atomic_* library function, becomes
//
//     if (__weft_threads_elsewhere == 0) [[likely]] { as it was } else { the slow path }
//
// So do volatile loads and stores of integers and pointers, which acquire and release: programs use
// them for flags, with or without a flush. All this unless the memory is certainly private to the
// thread. One node pays a load and a branch that is always predicted; nothing that is computed
// changes.
//
// Rejected: a call alone (25 cycles in one-node runs); patching the code at start (the executable's
// text would be private to each process, and the linker could not fold it); a second, instrumented
// copy of each function (twice the code, and its choice at each call costs the same test).
class AtomicsPass : public llvm::PassInfoMixin<AtomicsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
