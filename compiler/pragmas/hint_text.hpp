// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What stands in a `#pragma weft`, as tokens:
//
//   #pragma weft migrate(a) with(lock)
//   #pragma weft migrate(a) with(critical(name))
//   #pragma weft scatter(a, p[2:n] : cyclic(4))
//                name    │  │ │ │    │      └ how many elements are dealt at once
//                        │  │ │ │    └ distribution: block, cyclic, cyclic(length), node(number)
//                        │  └ items: an object, or a section of `count` elements from `first`
//                        └ parts of it are `object`, `first` and `count`
#pragma once

#include <clang/Basic/SourceLocation.h>
#include <clang/Lex/Token.h>
#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <optional>
#include <string>
#include <vector>

namespace clang {
class DiagnosticsEngine;
class Preprocessor;
}  // namespace clang

namespace weft::pragmas {

// A hint's name, and the function of weft/hints.h that it is; whether it has a distribution, or
// names a lock.
struct HintForm {
  llvm::StringRef name, function;
  bool divides = false, has_lock = false;
};

using Tokens = std::vector<clang::Token>;

struct HintItem {
  Tokens object;
  bool is_section = false;
  Tokens first, count;  // of a section; no `first` is 0
};

struct HintDistribution {
  enum class Kind { kBlock, kCyclic, kNode } kind = Kind::kBlock;
  Tokens argument;  // of cyclic(), which may have none, and of node()
};

// A critical region in place of a lock: `critical`, or `critical(name)`.
struct HintCritical {
  clang::SourceLocation place;  // of the name, if it has one
  std::string name;
};

struct HintText {
  const HintForm* form;
  clang::SourceLocation place;  // of its name
  std::vector<HintItem> items;
  HintDistribution distribution;
  Tokens lock;
  std::optional<HintCritical> critical;  // then there is no lock
};

// Reads the pragma up to the end of its line. Nothing if it makes no sense: that has been said.
[[nodiscard]] std::optional<HintText> read_hint(clang::Preprocessor& preprocessor);

}  // namespace weft::pragmas
