// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/PassManager.h>

namespace weft::pass {

// Lets global variables of a page or more begin at a page's beginning and end at a page's end.
// Programs divide arrays by rows and blocks, which are often whole pages; then no page is written
// by two nodes. And a sum that one node gives to all is not on the last page of what another
// writes. Costs less than two pages of address space for each.
class PageAlignmentPass : public llvm::PassInfoMixin<PageAlignmentPass> {
 public:
  static llvm::PreservedAnalyses run(llvm::Module& module, llvm::ModuleAnalysisManager&);
  static bool isRequired() { return true; }
};

}  // namespace weft::pass
