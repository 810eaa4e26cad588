// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pragmas/hint_pragma.hpp"

#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Preprocessor.h>
#include <clang/Sema/Scope.h>
#include <clang/Sema/Sema.h>

#include "compiler/pragmas/hint_checks.hpp"
#include "compiler/pragmas/hint_text.hpp"
#include "compiler/pragmas/written_tokens.hpp"
#include "include/weft/hints.h"

namespace weft::pragmas {
namespace {

using clang::Token;
namespace tok = clang::tok;

// The call of one hint.
class Call {
 public:
  Call(clang::Preprocessor& preprocessor, const HintText& text)
      : preprocessor_(preprocessor),
        is_cxx_(preprocessor.getLangOpts().CPlusPlus),
        text_(text),
        function_((kHintPrefix + text.form->name + (text.critical ? kWithCritical : "")).str()),
        out_(preprocessor, text.place) {}

  void enter() {
    out_.mark(tok::l_brace);
    declare();
    for (const HintItem& item : text_.items) call_for(item);
    out_.mark(tok::r_brace);
    out_.enter();
  }

 private:
  void declare() {
    out_.word("extern").word("int").word(function_).mark(tok::l_paren);
    out_.word("const").word("volatile").word("void").mark(tok::star).mark(tok::comma);
    size_type();
    if (text_.form->divides) {
      out_.mark(tok::comma);
      size_type();
      out_.mark(tok::comma).word("int");
    }
    lock_type();
    out_.mark(tok::r_paren).word("__asm__").mark(tok::l_paren);
    out_.string(text_.critical ? "weft_migrate_with_critical" : text_.form->function);
    out_.mark(tok::r_paren).mark(tok::semi);
  }

  void lock_type() {
    if (text_.critical) {
      out_.mark(tok::comma).word("const").word("char").mark(tok::star);
    } else if (text_.form->has_lock) {
      out_.mark(tok::comma).word("const").word("volatile").word("void").mark(tok::star);
    }
  }

  // The item stands there once, so that its mistakes are told once.
  void call_for(const HintItem& item) {
    out_.mark(tok::l_brace).word("__extension__").word("__auto_type").word(kHintObject);
    out_.mark(tok::equal);
    out_.word("__builtin_addressof").mark(tok::l_paren).copied(item.object);
    if (item.is_section) {
      out_.mark(tok::l_square);
      if (item.first.empty()) out_.number(0);
      out_.copied(item.first).mark(tok::r_square);
    }
    out_.mark(tok::r_paren).mark(tok::semi);
    out_.word(function_).mark(tok::l_paren).word(kHintObject).mark(tok::comma);
    times(item.count);
    if (text_.form->divides) division(item);
    lock();
    out_.mark(tok::r_paren).mark(tok::semi).mark(tok::r_brace);
  }

  void lock() {
    if (text_.critical) {
      out_.mark(tok::comma);
      WrittenTokens name(preprocessor_, text_.critical->place);
      out_.copied(name.string(text_.critical->name).tokens());
    } else if (text_.form->has_lock) {
      out_.mark(tok::comma).word("__builtin_addressof").mark(tok::l_paren).copied(text_.lock);
      out_.mark(tok::r_paren);
    }
  }

  void division(const HintItem& item) {
    using Kind = HintDistribution::Kind;
    const HintDistribution& distribution = text_.distribution;
    out_.mark(tok::comma);
    if (distribution.kind == Kind::kNode) {
      out_.number(1).mark(tok::comma).copied(distribution.argument);
      return;
    }
    times(distribution.argument, /*of_elements=*/!item.is_section);
    out_.mark(tok::comma).mark(tok::minus);
    out_.number(distribution.kind == Kind::kBlock ? -WEFT_BLOCK : -WEFT_CYCLIC);
  }

  // The bytes of so many objects, or of one; or of elements of the object.
  void times(const Tokens& count, bool of_elements = false) {
    out_.word("sizeof").mark(tok::l_paren).mark(tok::l_paren).mark(tok::star).word(kHintObject);
    out_.mark(tok::r_paren);
    if (of_elements) out_.mark(tok::l_square).number(0).mark(tok::r_square);
    out_.mark(tok::r_paren);
    if (count.empty()) return;
    out_.mark(tok::star);
    if (is_cxx_) {
      out_.word("static_cast").mark(tok::less);
      size_type();
      out_.mark(tok::greater);
    } else {
      out_.mark(tok::l_paren);
      size_type();
      out_.mark(tok::r_paren);
    }
    out_.mark(tok::l_paren).copied(count).mark(tok::r_paren);
  }

  void size_type() { out_.word("unsigned").word("long"); }

  clang::Preprocessor& preprocessor_;
  const bool is_cxx_;
  const HintText& text_;
  const std::string function_;
  WrittenTokens out_;
};

// For whoever compiles the preprocessed text: macros are gone by then.
void write_again(clang::Preprocessor& preprocessor, const Token& weft) {
  std::string text = "#pragma weft";
  Token token;
  for (preprocessor.Lex(token); token.isNot(tok::eod); preprocessor.Lex(token)) {
    if (token.hasLeadingSpace()) text += ' ';
    text += preprocessor.getSpelling(token);
  }
  WrittenTokens(preprocessor, weft.getLocation()).line(text).enter();
}

// The bodies of a class's functions are read before they are parsed: there the scope is the class.
bool is_outside_of_functions(clang::CompilerInstance& compiler) {
  if (!compiler.hasSema()) return false;
  const clang::Scope* const scope = compiler.getSema().getCurScope();
  return scope != nullptr && scope->getFnParent() == nullptr && !scope->isClassScope();
}

}  // namespace

void HintPragma::HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer,
                              clang::Token& weft) {
  HintChecks* const checks = HintChecks::present();
  if (checks == nullptr) return write_again(preprocessor, weft);
  const std::optional<HintText> text = read_hint(preprocessor);
  if (!text) return;
  if (is_outside_of_functions(checks->compiler())) {
    clang::DiagnosticsEngine& diagnostics = preprocessor.getDiagnostics();
    diagnostics.Report(
        weft.getLocation(),
        diagnostics.getCustomDiagID(clang::DiagnosticsEngine::Error,
                                    "'#pragma weft' stands for a statement, and can only "
                                    "be in a function"));
    return;
  }
  checks->note_hint();
  Call(preprocessor, *text).enter();
}

}  // namespace weft::pragmas
