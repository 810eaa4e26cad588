// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tokens that the compiler reads as if they stood at one place of the source.
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <clang/Basic/TokenKinds.h>
#include <clang/Lex/Token.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <vector>

namespace clang {
class Preprocessor;
}

namespace weft::pragmas {

class WrittenTokens {
 public:
  WrittenTokens(clang::Preprocessor& preprocessor, clang::SourceLocation place)
      : preprocessor_(preprocessor), place_(place) {}

  // An identifier or a keyword.
  WrittenTokens& word(llvm::StringRef text);
  WrittenTokens& mark(clang::tok::TokenKind punctuation);
  WrittenTokens& number(unsigned value);
  WrittenTokens& string(llvm::StringRef contents);
  // A line by itself, whatever is in it, for a compiler that only preprocesses.
  WrittenTokens& line(llvm::StringRef text);
  // The source's own: diagnostics about them name their place.
  WrittenTokens& copied(llvm::ArrayRef<clang::Token> tokens);

  [[nodiscard]] llvm::ArrayRef<clang::Token> tokens() const { return tokens_; }
  // They are what the compiler reads next.
  void enter();

 private:
  WrittenTokens& literal(llvm::StringRef text, clang::tok::TokenKind kind);

  clang::Preprocessor& preprocessor_;
  clang::SourceLocation place_;
  std::vector<clang::Token> tokens_;
};

}  // namespace weft::pragmas
