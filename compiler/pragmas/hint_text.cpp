// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pragmas/hint_text.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Lex/Preprocessor.h>

#include <array>
#include <utility>

namespace weft::pragmas {
namespace {

using clang::DiagnosticsEngine;
using clang::Token;
using llvm::StringRef;
namespace tok = clang::tok;

constexpr std::array<HintForm, 8> kForms = {{
    {.name = "broadcast", .function = "weft_broadcast"},
    {.name = "scatter", .function = "weft_scatter", .divides = true},
    {.name = "gather", .function = "weft_gather"},
    {.name = "alltoall", .function = "weft_alltoall"},
    {.name = "read_mostly", .function = "weft_read_mostly"},
    {.name = "home", .function = "weft_home", .divides = true},
    {.name = "private_after_init", .function = "weft_private_after_init"},
    {.name = "migrate", .function = "weft_migrate_with", .has_lock = true},
}};

// Follows brackets from token to token.
class Depth {
 public:
  // Before the token is taken.
  [[nodiscard]] bool is_outside() const { return depth_ == 0; }
  void take(const Token& token) {
    if (token.isOneOf(tok::l_paren, tok::l_square, tok::l_brace)) ++depth_;
    if (token.isOneOf(tok::r_paren, tok::r_square, tok::r_brace)) --depth_;
  }

 private:
  int depth_ = 0;
};

class Reader {
 public:
  explicit Reader(clang::Preprocessor& preprocessor) : preprocessor_(preprocessor) {}

  std::optional<HintText> read() {
    Token name;
    preprocessor_.LexUnexpandedToken(name);
    const HintForm* const form = form_of(name);
    if (form == nullptr) return std::nullopt;
    HintText text{form, name.getLocation(), {}, {}, {}, {}};
    const std::optional<Tokens> inside = read_parentheses(name);
    if (!inside || (form->has_lock && !read_lock(text, name)) || !read_end(name) ||
        !take_apart(text, *inside))
      return std::nullopt;
    return text;
  }

 private:
  template <unsigned N>
  clang::DiagnosticBuilder error(clang::SourceLocation place, const char (&text)[N]) {
    DiagnosticsEngine& diagnostics = preprocessor_.getDiagnostics();
    return diagnostics.Report(place, diagnostics.getCustomDiagID(DiagnosticsEngine::Error, text));
  }
  [[nodiscard]] std::string spelling(const Token& token) const {
    return preprocessor_.getSpelling(token);
  }

  const HintForm* form_of(const Token& token) {
    if (token.is(tok::eod)) {
      error(token.getLocation(), "expected the name of a hint behind '#pragma weft'");
      return nullptr;
    }
    const std::string name = spelling(token);
    const HintForm* nearest = nullptr;
    unsigned least = 3;  // so many letters are a mistake in writing
    for (const HintForm& form : kForms) {
      const unsigned distance = StringRef(name).edit_distance(form.name, true, least);
      if (distance == 0) return &form;
      if (distance < least) {
        least = distance;
        nearest = &form;
      }
    }
    if (nearest == nullptr) {
      error(token.getLocation(), "'%0' is no hint of '#pragma weft'") << name;
      return nullptr;
    }
    error(token.getLocation(), "'%0' is no hint of '#pragma weft'; did you mean '%1'?")
        << name << nearest->name
        << clang::FixItHint::CreateReplacement(token.getLocation(), nearest->name);
    return nullptr;
  }

  bool read_lock(HintText& text, const Token& hint) {
    Token with;
    preprocessor_.LexUnexpandedToken(with);
    if (with.is(tok::eod) || spelling(with) != "with") {
      error(with.getLocation(), "expected 'with(lock)' behind '%0'") << spelling(hint);
      return false;
    }
    const clang::SourceLocation end_of_items = end_;
    std::optional<Tokens> lock = read_parentheses(with);
    if (!lock) return false;
    if (!take_lock(text, std::move(*lock))) return false;
    end_ = end_of_items;
    return true;
  }

  bool take_lock(HintText& text, Tokens lock) {
    if (lock.empty()) {
      error(end_, "expected a lock");
      return false;
    }
    const bool is_region = lock.front().is(tok::identifier) && spelling(lock.front()) == "critical";
    if (is_region) {
      text.critical = critical_of(lock);
      return text.critical.has_value();
    }
    text.lock = std::move(lock);
    return true;
  }

  // `critical`, or `critical(name)`.
  std::optional<HintCritical> critical_of(llvm::ArrayRef<Token> tokens) {
    HintCritical region{tokens.front().getLocation(), {}};
    if (tokens.size() == 1) return region;
    const bool has_name = tokens.size() == 4 && tokens[1].is(tok::l_paren) &&
                          tokens[2].getIdentifierInfo() != nullptr && tokens[3].is(tok::r_paren);
    if (!has_name) {
      error(tokens[1].getLocation(),
            "expected '(name)' or nothing behind 'critical'; a lock of that name is "
            "'(critical)'");
      return std::nullopt;
    }
    return HintCritical{tokens[2].getLocation(), spelling(tokens[2])};
  }

  bool read_end(const Token& name) {
    Token token;
    preprocessor_.Lex(token);
    if (token.is(tok::eod)) return true;
    error(token.getLocation(), "nothing can follow ')' in '#pragma weft %0'") << spelling(name);
    return false;
  }

  // The tokens between the parentheses behind the name.
  std::optional<Tokens> read_parentheses(const Token& name) {
    Token token;
    preprocessor_.Lex(token);
    if (token.isNot(tok::l_paren)) {
      error(token.getLocation(), "expected '(' behind '%0'") << spelling(name);
      return std::nullopt;
    }
    const clang::SourceLocation opening = token.getLocation();
    Tokens inside;
    Depth depth;
    for (;; depth.take(token), inside.push_back(token)) {
      preprocessor_.Lex(token);
      if (token.isOneOf(tok::eod, tok::eof)) {
        error(token.getLocation(), "expected ')'");
        DiagnosticsEngine& diagnostics = preprocessor_.getDiagnostics();
        diagnostics.Report(opening, clang::diag::note_matching) << tok::l_paren;
        return std::nullopt;
      }
      if (depth.is_outside() && token.is(tok::r_paren)) break;
    }
    end_ = token.getLocation();
    return inside;
  }

  bool take_apart(HintText& text, const Tokens& inside) {
    Depth depth;
    Tokens object;
    unsigned choices = 0;  // '?' whose ':' is to come
    std::size_t at = 0;
    for (; at < inside.size(); ++at) {
      const Token& token = inside[at];
      if (depth.is_outside() && token.is(tok::comma)) {
        if (!add_item(text, std::exchange(object, {}), token.getLocation())) return false;
        continue;
      }
      if (depth.is_outside() && token.is(tok::question)) ++choices;
      if (depth.is_outside() && token.is(tok::colon) && choices-- == 0) break;
      depth.take(token);
      object.push_back(token);
    }
    const bool has_distribution = at < inside.size();
    if (!add_item(text, std::move(object), has_distribution ? inside[at].getLocation() : end_))
      return false;
    if (!has_distribution) return true;
    if (!text.form->divides) {
      error(inside[at].getLocation(), "'%0' has no distribution") << text.form->name;
      return false;
    }
    return read_distribution(text.distribution, llvm::ArrayRef(inside).drop_front(at + 1),
                             inside[at].getLocation());
  }

  // `behind`: the place of what follows it.
  bool add_item(HintText& text, Tokens tokens, clang::SourceLocation behind) {
    if (tokens.empty()) {
      error(behind, "expected an object or a section of one");
      return false;
    }
    HintItem item;
    const clang::SourceLocation last = tokens.back().getLocation();
    if (!cut_section(item, tokens)) return false;
    if (item.is_section && item.count.empty()) {
      error(last, "expected the number of elements of the section");
      return false;
    }
    if (tokens.empty()) {
      error(last, "expected an object before its section");
      return false;
    }
    item.object = std::move(tokens);
    text.items.push_back(std::move(item));
    return true;
  }

  // If the last brackets have a colon, takes them off the tokens.
  bool cut_section(HintItem& item, Tokens& tokens) {
    std::size_t opening = 0;
    std::optional<std::size_t> colon;
    bool ends_with_it = false;
    Depth depth, inside;  // of the brackets that were opened last
    for (std::size_t at = 0; at < tokens.size(); ++at) {
      if (depth.is_outside()) {
        if (colon) break;
        opening = at;
        inside = {};
      } else if (tokens[opening].is(tok::l_square) && inside.is_outside() && !colon &&
                 tokens[at].is(tok::colon)) {
        colon = at;
      }
      depth.take(tokens[at]);
      if (at != opening) inside.take(tokens[at]);
      ends_with_it = at + 1 == tokens.size();
    }
    if (!colon) return true;
    if (!ends_with_it) {
      error(tokens[*colon].getLocation(), "only the last brackets can be a section");
      return false;
    }
    item.is_section = true;
    item.first.assign(tokens.begin() + static_cast<std::ptrdiff_t>(opening) + 1,
                      tokens.begin() + static_cast<std::ptrdiff_t>(*colon));
    item.count.assign(tokens.begin() + static_cast<std::ptrdiff_t>(*colon) + 1, tokens.end() - 1);
    tokens.resize(opening);
    return true;
  }

  bool read_distribution(HintDistribution& distribution, llvm::ArrayRef<Token> tokens,
                         clang::SourceLocation colon) {
    using Kind = HintDistribution::Kind;
    const std::string name = tokens.empty() ? "" : spelling(tokens.front());
    const bool has_argument = tokens.size() > 3 && tokens[1].is(tok::l_paren);
    if (name == "block" && tokens.size() == 1) {
      distribution.kind = Kind::kBlock;
    } else if (name == "cyclic" && (tokens.size() == 1 || has_argument)) {
      distribution.kind = Kind::kCyclic;
    } else if (name == "node" && has_argument) {
      distribution.kind = Kind::kNode;
    } else {
      error(tokens.empty() ? colon : tokens.front().getLocation(),
            "expected a distribution: block, cyclic, cyclic(length) or node(number)");
      return false;
    }
    if (has_argument) {
      const llvm::ArrayRef<Token> argument = tokens.drop_front(2).drop_back();
      distribution.argument.assign(argument.begin(), argument.end());
    }
    return true;
  }

  clang::Preprocessor& preprocessor_;
  clang::SourceLocation end_;  // of the closing parenthesis
};

}  // namespace

std::optional<HintText> read_hint(clang::Preprocessor& preprocessor) {
  return Reader(preprocessor).read();
}

}  // namespace weft::pragmas
