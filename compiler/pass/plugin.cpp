// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's entry point: says at which points of the compiler's pipeline Weft's passes run.
//
// Statements of assembler are changed, and notes and flushes added first, while the program looks
// as the front end wrote it. Memory that loops overwrite or use is found before vectorisation,
// while loops are simple. The others run last, after inlining, vectorisation and everything that
// simplifies atomics, so that optimisations see the program as it was written. The same point
// exists at -O0.
#include <llvm/Config/llvm-config.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Plugins/PassPlugin.h>
#include <llvm/Transforms/Utils/LoopSimplify.h>

#include <utility>

#include "compiler/pass/atomics/assembler.hpp"
#include "compiler/pass/atomics/atomics.hpp"
#include "compiler/pass/calls/last_barriers.hpp"
#include "compiler/pass/calls/reductions.hpp"
#include "compiler/pass/calls/region_values.hpp"
#include "compiler/pass/calls/singles.hpp"
#include "compiler/pass/checks/checks.hpp"
#include "compiler/pass/flushes/originals.hpp"
#include "compiler/pass/flushes/polls.hpp"
#include "compiler/pass/modules/flag_pages.hpp"
#include "compiler/pass/modules/fortran.hpp"
#include "compiler/pass/modules/note.hpp"
#include "compiler/pass/modules/page_alignment.hpp"
#include "compiler/pass/modules/thread_local_shift.hpp"
#include "compiler/pass/modules/thread_locals.hpp"
#include "compiler/pass/prefetch_calls/markers.hpp"
#include "compiler/pass/prefetches/prefetches.hpp"
#include "compiler/pass/ranges/declarations.hpp"
#include "compiler/pass/ranges/ranges.hpp"
#include "compiler/pass/sections/adding_sections.hpp"

namespace weft::pass {
namespace {

void register_passes(llvm::PassBuilder& builder) {
  builder.registerPipelineStartEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel) {
        manager.addPass(AssemblerPass());
        manager.addPass(ReductionsPass());
        manager.addPass(LastBarriersPass());
        manager.addPass(SinglesPass());
        manager.addPass(OriginalsPass());
        manager.addPass(PollsPass());
      });
  builder.registerOptimizerEarlyEPCallback([](llvm::ModulePassManager& manager,
                                              llvm::OptimizationLevel level,
                                              llvm::ThinOrFullLTOPhase phase) {
    // Loops have their simplest form then, if ever.
    if (level == llvm::OptimizationLevel::O0 || phase == llvm::ThinOrFullLTOPhase::ThinLTOPreLink) {
      return;
    }
    manager.addPass(LoopsPass());
    manager.addPass(llvm::createModuleToFunctionPassAdaptor(ChecksPass()));
  });
  builder.registerOptimizerLastEPCallback(
      [](llvm::ModulePassManager& manager, llvm::OptimizationLevel, llvm::ThinOrFullLTOPhase) {
        manager.addPass(FlagPagesPass());
        manager.addPass(RegionValuesPass());  // atomic loads only read, until the next pass
        manager.addPass(AddingSectionsPass());
        manager.addPass(AtomicsPass());
        manager.addPass(DeclarationsPass());
        manager.addPass(PrefetchMarkersPass());
        manager.addPass(FortranPass());
        manager.addPass(PageAlignmentPass());
        manager.addPass(ThreadLocalsPass());
        manager.addPass(ThreadLocalShiftPass());
        manager.addPass(NotePass());
      });
  // For `opt -passes=weft-atomics`, `weft-ranges` and `weft-checks`, in tests.
  builder.registerPipelineParsingCallback([](llvm::StringRef name, llvm::ModulePassManager& manager,
                                             llvm::ArrayRef<llvm::PassBuilder::PipelineElement>) {
    if (name == "weft-atomics") {
      manager.addPass(AtomicsPass());
    } else if (name == "weft-ranges") {
      llvm::FunctionPassManager functions;
      functions.addPass(llvm::LoopSimplifyPass());
      functions.addPass(RangesPass());
      manager.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(functions)));
    } else if (name == "weft-checks") {
      manager.addPass(llvm::createModuleToFunctionPassAdaptor(ChecksPass()));
    } else {
      return false;
    }
    return true;
  });
}

}  // namespace
}  // namespace weft::pass

extern "C" __attribute__((visibility("default"))) llvm::PassPluginLibraryInfo
llvmGetPassPluginInfo() {
  return {LLVM_PLUGIN_API_VERSION, "Weft", LLVM_VERSION_STRING, weft::pass::register_passes};
}
