// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pragmas/written_tokens.hpp"

#include <clang/Lex/Preprocessor.h>

#include <algorithm>
#include <memory>
#include <string>

namespace weft::pragmas {

WrittenTokens& WrittenTokens::word(llvm::StringRef text) {
  clang::IdentifierInfo* const name = preprocessor_.getIdentifierInfo(text);
  clang::Token token;
  token.startToken();
  token.setKind(name->getTokenID());
  token.setIdentifierInfo(name);
  token.setLocation(place_);
  token.setLength(static_cast<unsigned>(text.size()));
  tokens_.push_back(token);
  return *this;
}

WrittenTokens& WrittenTokens::mark(clang::tok::TokenKind punctuation) {
  return literal(clang::tok::getPunctuatorSpelling(punctuation), punctuation);
}

WrittenTokens& WrittenTokens::literal(llvm::StringRef text, clang::tok::TokenKind kind) {
  clang::Token token;
  token.startToken();
  token.setKind(kind);
  preprocessor_.CreateString(text, token, place_, place_);
  tokens_.push_back(token);
  return *this;
}

WrittenTokens& WrittenTokens::number(unsigned value) {
  return literal(std::to_string(value), clang::tok::numeric_constant);
}

WrittenTokens& WrittenTokens::string(llvm::StringRef contents) {
  return literal(("\"" + contents + "\"").str(), clang::tok::string_literal);
}

WrittenTokens& WrittenTokens::line(llvm::StringRef text) {
  return literal(("\n" + text + "\n").str(), clang::tok::unknown);
}

WrittenTokens& WrittenTokens::copied(llvm::ArrayRef<clang::Token> tokens) {
  tokens_.insert(tokens_.end(), tokens.begin(), tokens.end());
  return *this;
}

void WrittenTokens::enter() {
  auto tokens = std::make_unique<clang::Token[]>(tokens_.size());
  std::ranges::copy(tokens_, tokens.get());
  preprocessor_.EnterTokenStream(std::move(tokens), static_cast<unsigned>(tokens_.size()),
                                 /*DisableMacroExpansion=*/true, /*IsReinject=*/false);
}

}  // namespace weft::pragmas
