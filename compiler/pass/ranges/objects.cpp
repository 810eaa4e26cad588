// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pass/ranges/objects.hpp"

#include <llvm/Analysis/CaptureTracking.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/GlobalVariable.h>

#include <optional>

#include "compiler/pass/ranges/declarations.hpp"

namespace weft::pass {
namespace {

constexpr const char* kOverwriting = "weft.overwriting";

}  // namespace

bool is_not_worth_it(const llvm::Value* pointer) {
  const llvm::Value* object = llvm::getUnderlyingObject(pointer, 0);
  std::optional<llvm::TypeSize> size;
  if (const auto* local = llvm::dyn_cast<llvm::AllocaInst>(object)) {
    if (!llvm::PointerMayBeCaptured(local, /*ReturnCaptures=*/true)) return true;
    size = local->getAllocationSize(local->getDataLayout());
  } else if (const auto* global = llvm::dyn_cast<llvm::GlobalVariable>(object)) {
    if (global->isThreadLocal()) return true;
    // The linker may take a larger one of the name.
    if (!global->isInterposable()) {
      size = global->getDataLayout().getTypeAllocSize(global->getValueType());
    }
  }
  return size.has_value() && !size->isScalable() && size->getFixedValue() < fewest_bytes();
}

void note_overwriting(llvm::ArrayRef<llvm::Instruction*> writers) {
  for (llvm::Instruction* each : writers) {
    each->setMetadata(kOverwriting, llvm::MDNode::get(each->getContext(), {}));
  }
}

bool is_overwriting(const llvm::Instruction& writer) {
  return writer.getMetadata(kOverwriting) != nullptr;
}

}  // namespace weft::pass
