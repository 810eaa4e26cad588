// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The plug-in's entry point: `#pragma weft` becomes calls of weft/hints.h while the source is
// parsed, and the calls are looked at when all types are known.
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Frontend/FrontendAction.h>
#include <clang/Frontend/FrontendPluginRegistry.h>

#include <memory>
#include <string>
#include <vector>

#include "compiler/pragmas/hint_checks.hpp"
#include "compiler/pragmas/hint_pragma.hpp"

namespace weft::pragmas {
namespace {

class Action : public clang::PluginASTAction {
 public:
  std::unique_ptr<clang::ASTConsumer> CreateASTConsumer(clang::CompilerInstance& compiler,
                                                        llvm::StringRef) override {
    return std::make_unique<HintChecks>(compiler);
  }
  bool ParseArgs(const clang::CompilerInstance&, const std::vector<std::string>&) override {
    return true;
  }
  ActionType getActionType() override { return AddBeforeMainAction; }
};

}  // namespace
}  // namespace weft::pragmas

static const clang::FrontendPluginRegistry::Add<weft::pragmas::Action> registered_action(
    "weft-pragmas", "hints about shared memory: #pragma weft");
static const clang::PragmaHandlerRegistry::Add<weft::pragmas::HintPragma> registered_pragma(
    "weft", "hints about shared memory");
