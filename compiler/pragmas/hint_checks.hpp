// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A second look at the calls that `#pragma weft` has become, when all types are known, those of
// templates' instances, too: a hint about a pointer, say, was meant for its memory.
#pragma once

#include <clang/AST/ASTConsumer.h>

namespace clang {
class CompilerInstance;
}

namespace weft::pragmas {

class HintChecks : public clang::ASTConsumer {
 public:
  explicit HintChecks(clang::CompilerInstance& compiler);
  ~HintChecks() override;
  HintChecks(const HintChecks&) = delete;
  HintChecks& operator=(const HintChecks&) = delete;

  // Of the source that is being parsed; null if clang only preprocesses it.
  [[nodiscard]] static HintChecks* present();
  [[nodiscard]] clang::CompilerInstance& compiler() { return compiler_; }

  // Without one there is nothing to look at.
  void note_hint() { has_hints_ = true; }
  void HandleTranslationUnit(clang::ASTContext& context) override;

 private:
  clang::CompilerInstance& compiler_;
  bool has_hints_ = false;
};

}  // namespace weft::pragmas
