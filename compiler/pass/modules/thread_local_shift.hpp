// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Adds the thread's shift (base/thread_local_abi.h) to the address of each thread-local variable of
// the program. It is loaded once in a function, outside of loops. That is right as it never changes
// while a function of the program is under way on the thread. So attributes by which a function
// reads no memory stay: it is as with a constant.
//
// Runs behind the atomics pass, which must still see whose address is which variable's.
class ThreadLocalShiftPass : public llvm::PassInfoMixin<ThreadLocalShiftPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager& manager);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
