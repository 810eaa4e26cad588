// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds critical sections that only add (protocol/locks.md, 26): between a call that takes a lock
// and the call that gives it up, in one basic block, nothing has an effect but sums, *p = *p + v.
// What *p was is used for nothing else, and nothing that is loaded there is used elsewhere.
//
//     if (__weft_threads_elsewhere) {
//     again:
//       begun = __weft_begin_adding(lock, where the sums are);
//       if (begun is a right) {
//         the terms are loaded and computed
//         result = __weft_add(lock, begun, sums, where the terms were loaded);
//         if (the section is done) goto behind;
//         if (another right may do) goto again;
//       } else if (the lock is held) goto inside;
//     }
//     take the lock;
//   inside:
//     the section as it was, which gives the lock up
//   behind:
//
// Rejected: sections of several blocks. Few programs branch while they hold a fine lock.
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

class AddingSectionsPass : public llvm::PassInfoMixin<AddingSectionsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
