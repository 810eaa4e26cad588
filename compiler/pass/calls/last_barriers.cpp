// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/calls/last_barriers.hpp"

#include <llvm/IR/Module.h>

#include "compiler/pass/calls/call_notes.hpp"
#include "compiler/pass/calls/surroundings.hpp"

namespace weft::pass {
namespace {

// libomp's KMP_IDENT_BARRIER_IMPL: the barrier is a construct's own. All threads of a team come to
// the same one then. Explicit ones may be several in the text, that threads come to by branches.
constexpr std::uint64_t kImplied = 0x40;

}  // namespace

llvm::PreservedAnalyses LastBarriersPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  for (llvm::CallInst* barrier : calls_of(module, "__kmpc_barrier")) {
    if ((flags_of(*barrier) & kImplied) == 0 || !ends_region(*barrier)) continue;
    attach_note(*barrier, openmp::CallNote::kEndsRegion);
  }
  return llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
