// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pragmas/hint_checks.hpp"

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclCXX.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/AST/StmtOpenMP.h>
#include <clang/Basic/Builtins.h>
#include <clang/Basic/Diagnostic.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Lex/Lexer.h>

#include <map>
#include <optional>
#include <set>
#include <string>

#include "compiler/pragmas/hint_pragma.hpp"

namespace weft::pragmas {
namespace {

using clang::DiagnosticsEngine;

class Visitor : public clang::RecursiveASTVisitor<Visitor> {
 public:
  Visitor(clang::ASTContext& context, DiagnosticsEngine& diagnostics)
      : context_(context), diagnostics_(diagnostics) {}

  [[nodiscard]] static bool shouldVisitTemplateInstantiations() { return true; }

  bool VisitCallExpr(clang::CallExpr* call) {
    const clang::FunctionDecl* const callee = call->getDirectCallee();
    if (callee == nullptr || !callee->getIdentifier() ||
        !callee->getName().starts_with(kHintPrefix) || call->getNumArgs() < 2)
      return true;
    const clang::Expr* const object = object_of(*call->getArg(0));
    if (object == nullptr || object->isInstantiationDependent()) return true;
    if (callee->getName() == "__weft_hint_migrate") check_lock(*call->getArg(2));
    if (callee->getName().ends_with(kWithCritical)) note_critical(*call->getArg(2));
    const clang::Expr* const bytes = call->getArg(1)->IgnoreParenImpCasts();
    if (const auto* product = llvm::dyn_cast<clang::BinaryOperator>(bytes)) {
      check_section(*object, *product->getRHS());
    } else {
      check_object(*object);
    }
    return true;
  }

  bool VisitOMPCriticalDirective(clang::OMPCriticalDirective* region) {
    regions_.insert(region->getDirectiveName().getName().getAsString());
    return true;
  }

  // A region may lie in another file. A name that is nearly that of one here was meant for it.
  void check_critical_names() {
    for (const auto& [name, place] : named_) {
      const std::string* const nearest = nearest_region(name);
      if (nearest == nullptr || *nearest == name) continue;
      diagnostics_.Report(
          place, diagnostics_.getCustomDiagID(
                     DiagnosticsEngine::Warning,
                     "no critical region in this file has the name '%0'; did you mean '%1'?"))
          << name << *nearest << clang::FixItHint::CreateReplacement(place, *nearest);
    }
  }

 private:
  [[nodiscard]] const std::string* nearest_region(llvm::StringRef name) const {
    unsigned least = 3;  // so many letters are a mistake in writing
    const std::string* nearest = nullptr;
    for (const std::string& region : regions_) {
      const unsigned distance = name.edit_distance(region, true, least);
      if (region.empty() || distance >= least) continue;
      least = distance;
      nearest = &region;
    }
    return nearest;
  }

  void note_critical(const clang::Expr& name) {
    const auto* const text = llvm::dyn_cast<clang::StringLiteral>(name.IgnoreParenImpCasts());
    if (text == nullptr || text->getString().empty()) return;
    named_.emplace(text->getString().str(),
                   context_.getSourceManager().getFileLoc(name.getBeginLoc()));
  }

  template <unsigned N>
  std::optional<clang::DiagnosticBuilder> report(const clang::Expr& at,
                                                 DiagnosticsEngine::Level level,
                                                 const char (&text)[N]) {
    // Instances of one template have the same mistakes.
    if (!said_.insert(at.getBeginLoc()).second) return std::nullopt;
    clang::DiagnosticBuilder builder =
        diagnostics_.Report(at.getBeginLoc(), diagnostics_.getCustomDiagID(level, text));
    builder << clang::CharSourceRange::getTokenRange(at.getSourceRange());
    return builder;
  }

  // `address`: the variable that was initialised with it.
  static const clang::Expr* object_of(const clang::Expr& address) {
    const auto* const variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration_of(address));
    if (variable == nullptr || variable->getInit() == nullptr) return nullptr;
    const auto* const taken =
        llvm::dyn_cast<clang::CallExpr>(variable->getInit()->IgnoreParenImpCasts());
    if (taken == nullptr || taken->getNumArgs() != 1) return nullptr;
    return taken->getArg(0)->IgnoreParenImpCasts();
  }

  static const clang::ValueDecl* declaration_of(const clang::Expr& object) {
    const clang::Expr* const plain = object.IgnoreParenImpCasts();
    if (const auto* name = llvm::dyn_cast<clang::DeclRefExpr>(plain)) return name->getDecl();
    if (const auto* member = llvm::dyn_cast<clang::MemberExpr>(plain))
      return member->getMemberDecl();
    return nullptr;
  }

  void note_declaration(const clang::ValueDecl* declaration) {
    if (declaration == nullptr) return;
    diagnostics_.Report(
        declaration->getLocation(),
        diagnostics_.getCustomDiagID(DiagnosticsEngine::Note, "%0 is declared here"))
        << declaration;
  }

  void check_object(const clang::Expr& object) {
    const clang::QualType type = object.getType().getNonReferenceType();
    if (type->isPointerType()) return refuse_pointer(object, type);
    const auto* const record = type->getAsCXXRecordDecl();
    if (record != nullptr && has_elements(*record)) return warn_of_container(object, type);
    check_threads(object);
  }

  void refuse_pointer(const clang::Expr& object, clang::QualType type) {
    const clang::ValueDecl* const declaration = declaration_of(object);
    {
      auto builder = report(object, DiagnosticsEngine::Error,
                            "a hint about a pointer (%0) is not about the memory that it points "
                            "to; name a section of that, as in 'p[0:count]'");
      if (!builder) return;
      *builder << type;
      if (const std::optional<std::uint64_t> count = written_count(declaration)) {
        *builder << clang::FixItHint::CreateInsertion(
            clang::Lexer::getLocForEndOfToken(object.getEndLoc(), 0, context_.getSourceManager(),
                                              context_.getLangOpts()),
            "[0:" + std::to_string(*count) + "]");
      }
    }
    note_declaration(declaration);
  }

  // Of a parameter that is written as an array.
  [[nodiscard]] std::optional<std::uint64_t> written_count(
      const clang::ValueDecl* declaration) const {
    const auto* const parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(declaration);
    if (parameter == nullptr) return std::nullopt;
    const auto* const array = context_.getAsConstantArrayType(parameter->getOriginalType());
    if (array == nullptr) return std::nullopt;
    return array->getZExtSize();
  }

  static bool has_elements(const clang::CXXRecordDecl& record) {
    if (!record.hasDefinition()) return false;
    const auto has = [&](llvm::StringRef name) {
      const auto is_named = [&](const clang::CXXRecordDecl& in) {
        for (const clang::CXXMethodDecl* method : in.methods()) {
          if (method->getIdentifier() != nullptr && method->getName() == name) return true;
        }
        return false;
      };
      return is_named(record) || !record.forallBases([&](const clang::CXXRecordDecl* base) {
        return !is_named(*base);
      });
    };
    // An array's elements are in it.
    return has("data") && has("size") &&
           !(record.isInStdNamespace() && record.getName() == "array");
  }

  void warn_of_container(const clang::Expr& object, clang::QualType type) {
    if (auto builder = report(object, DiagnosticsEngine::Warning,
                              "a hint about a container (%0) is not about its elements; name "
                              "them, as in 'x.data()[0:x.size()]'")) {
      *builder << type;
    } else {
      return;
    }
    note_declaration(declaration_of(object));
  }

  void check_lock(const clang::Expr& address) {
    const auto* const taken = llvm::dyn_cast<clang::CallExpr>(address.IgnoreParenImpCasts());
    if (taken == nullptr || taken->getNumArgs() != 1) return;
    const clang::Expr& lock = *taken->getArg(0);
    const clang::QualType type = lock.getType().getNonReferenceType().getUnqualifiedType();
    if (type->isDependentType()) return;
    if (type->isPointerType()) {
      if (auto builder = report(lock, DiagnosticsEngine::Error,
                                "a pointer (%0) is no lock; name the lock that it points to"))
        *builder << type;
      return;
    }
    const std::string name = type.getCanonicalType().getAsString() + type.getAsString();
    for (const char* const known : {"omp_lock_t", "omp_nest_lock_t", "pthread_mutex_t",
                                    "pthread_spinlock_t", "std::mutex", "mtx_t"}) {
      if (name.find(known) != std::string::npos) return;
    }
    if (auto builder = report(lock, DiagnosticsEngine::Warning,
                              "%0 is no lock that Weft knows, so that nothing comes with it"))
      *builder << type;
  }

  void check_threads(const clang::Expr& object) {
    const auto* const variable = llvm::dyn_cast_or_null<clang::VarDecl>(declaration_of(object));
    if (variable == nullptr) return;
    const bool is_each_threads = variable->getTLSKind() != clang::VarDecl::TLS_None ||
                                 variable->hasAttr<clang::OMPThreadPrivateDeclAttr>();
    if (!is_each_threads) return;
    if (!report(object, DiagnosticsEngine::Warning,
                "a hint about a variable that each thread has for itself does nothing of use")) {
      return;
    }
    note_declaration(variable);
  }

  void check_section(const clang::Expr& element, const clang::Expr& count) {
    const std::optional<std::int64_t> elements = value_of(count);
    if (elements && *elements < 0) {
      if (auto builder =
              report(*plain(count), DiagnosticsEngine::Error, "a section cannot have %0 elements"))
        *builder << static_cast<int>(*elements);
      return;
    }
    const auto* const subscript =
        llvm::dyn_cast<clang::ArraySubscriptExpr>(element.IgnoreParenImpCasts());
    if (subscript == nullptr || !elements) return;
    const clang::Expr& base = *subscript->getBase()->IgnoreParenImpCasts();
    const auto* const array = context_.getAsConstantArrayType(base.getType());
    const std::optional<std::int64_t> first = value_of(*subscript->getIdx());
    if (array == nullptr || !first || *first < 0) return;
    const auto end = static_cast<std::uint64_t>(*first) + static_cast<std::uint64_t>(*elements);
    if (end <= array->getZExtSize()) return;
    if (auto builder = report(base, DiagnosticsEngine::Warning,
                              "the section ends %0 elements behind the array (%1)")) {
      *builder << static_cast<unsigned>(end - array->getZExtSize()) << base.getType();
    } else {
      return;
    }
    note_declaration(declaration_of(base));
  }

  static const clang::Expr* plain(const clang::Expr& expression) {
    return expression.IgnoreParenCasts();
  }
  [[nodiscard]] std::optional<std::int64_t> value_of(const clang::Expr& expression) const {
    const auto value = plain(expression)->getIntegerConstantExpr(context_);
    return value ? value->tryExtValue() : std::nullopt;
  }

  clang::ASTContext& context_;
  DiagnosticsEngine& diagnostics_;
  std::set<clang::SourceLocation> said_;
  std::set<std::string> regions_;                       // names of critical regions
  std::map<std::string, clang::SourceLocation> named_;  // by hints, where first
};

}  // namespace

// The preprocessor makes its handlers of pragmas itself, and tells them of nothing but itself.
static HintChecks* present_checks = nullptr;

HintChecks::HintChecks(clang::CompilerInstance& compiler) : compiler_(compiler) {
  present_checks = this;
}

HintChecks::~HintChecks() { present_checks = nullptr; }

HintChecks* HintChecks::present() { return present_checks; }

void HintChecks::HandleTranslationUnit(clang::ASTContext& context) {
  DiagnosticsEngine& diagnostics = compiler_.getDiagnostics();
  if (!has_hints_ || diagnostics.hasErrorOccurred()) return;
  Visitor visitor(context, diagnostics);
  visitor.TraverseDecl(context.getTranslationUnitDecl());
  visitor.check_critical_names();
}

}  // namespace weft::pragmas
