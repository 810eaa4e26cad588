// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Plain flags that are polled for with flushes, as NPB's LU has them:
//
//     thread A                  thread B
//     data = ...;               while (flag == 0) {
//     flag = 1;                   #pragma omp flush
//                               }
//                               ... = data;
//
// No flush stands between the data and the flag on either side, and the loop's is not executed if
// the flag is set at the first look. Processors with strong order forgive that. So:
//
//  - wherever such a loop ends because of what it saw, a fence is put that acquires what others
//    have written, flushed or not. That alone makes the program right, whoever stores the flag. A
//    flush that stands there already is marked to be that fence. None is put where all looks are
//    atomic and acquire: who writes that has seen to the other side, too;
//  - behind each store of this module to what is polled for, a fence that releases: so the first
//    flush of the one that polls finds the flag, rather than the 64th.
//
// On one node the fences are those that the processor's order makes free, and nothing else changes.
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

class PollsPass : public llvm::PassInfoMixin<PollsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
