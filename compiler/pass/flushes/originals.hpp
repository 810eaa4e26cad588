// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a reduction adds to. libomp's threads add to the original itself, so what a thread has
// stored there just before counts, though no barrier stands between:
//
//     if (omp_get_thread_num() == 3) sum = 0;
//     #pragma omp for reduction(+ : sum)
//
// Across nodes one thread adds for all. It has to acquire what the others stored, and they should
// only release it where there is something: so behind such stores the runtime is told
// (__weft_wrote_original), and its node's arrival at the reduction releases. A reduction before
// which nobody stores costs what it did.
//
// Rejected: to release with every arrival, which closes the interval of a loop's writes and sends
// them twice over; to give the runtime the originals' addresses and have it search what it wrote,
// which takes pages for variables, and finds many that merely lie beside one.
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

class OriginalsPass : public llvm::PassInfoMixin<OriginalsPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
