// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// flang lowers a statement like `print *, x` to
//
//     cookie = _FortranAioBeginExternalListOutput(...)
//     _FortranAioOutput...(cookie, ...)            as often as it takes
//     status = _FortranAioEndIoStatement(cookie)   always, after errors too
#include "compiler/pass/modules/fortran.hpp"

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

#include <optional>

namespace weft::pass {
namespace {

// On calls that have been seen to: bitcode may come through here twice.
constexpr const char* kGuarded = "weft.guarded";

struct Use {
  bool begins = false, ends = false, needs_lock = true;
};

std::optional<Use> use_of_runtime(const llvm::Function& callee) {
  llvm::StringRef name = callee.getName();
  if (!callee.isDeclaration()) return std::nullopt;
  if (name == "_FortranAioEndIoStatement") return Use{.ends = true};
  if (name.starts_with("_FortranARandom")) return Use{.begins = true, .ends = true};
  if (!name.consume_front("_FortranAioBegin")) return std::nullopt;
  return Use{.begins = true, .needs_lock = !name.starts_with("Internal")};
}

void surround(llvm::CallInst& call, const Use& use) {
  llvm::Module& module = *call.getModule();
  llvm::LLVMContext& context = module.getContext();
  llvm::Type* nothing = llvm::Type::getVoidTy(context);
  llvm::Type* word = llvm::Type::getInt32Ty(context);
  llvm::IRBuilder<> builder(&call);
  if (use.begins) {
    builder.CreateCall(module.getOrInsertFunction("__weft_fortran_begin", nothing, word),
                       {llvm::ConstantInt::get(word, use.needs_lock ? 1 : 0)});
  }
  if (use.ends) {
    builder.SetInsertPoint(call.getNextNode());
    builder.SetCurrentDebugLocation(call.getDebugLoc());
    builder.CreateCall(module.getOrInsertFunction("__weft_fortran_end", nothing));
  }
  call.setTailCall(false);
  call.setMetadata(kGuarded, llvm::MDNode::get(context, {}));
}

}  // namespace

llvm::PreservedAnalyses FortranPass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  llvm::SmallVector<std::pair<llvm::CallInst*, Use>, 16> found;
  for (llvm::Function& callee : module) {
    const std::optional<Use> use = use_of_runtime(callee);
    if (!use) continue;
    for (llvm::User* user : callee.users()) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(user);
      if (call == nullptr || call->getCalledFunction() != &callee) continue;
      if (!call->hasMetadata(kGuarded)) found.emplace_back(call, *use);
    }
  }
  for (auto& [call, use] : found) surround(*call, use);
  return found.empty() ? llvm::PreservedAnalyses::all() : llvm::PreservedAnalyses::none();
}

}  // namespace weft::pass
