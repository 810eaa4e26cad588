// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `#pragma weft`: each becomes a statement that calls the function of weft/hints.h, in its place:
//
//   #pragma weft scatter(p[2:n] : cyclic(4))
//   { extern int __weft_hint_scatter(const volatile void*, size_t, size_t, int)
//   asm("weft_scatter");
//     { auto __weft_object = addressof(p[2]);
//       __weft_hint_scatter(__weft_object, sizeof(*__weft_object) * (size_t)(n),
//                           sizeof(*__weft_object) * (size_t)(4), -2); } }
//
// The compiler itself checks names and types then, where the source's tokens stand. It would not
// see a pointer that was meant to be an array: hint_checks.hpp does.
//
// Where clang only preprocesses, the pragma is written again, with its macros
// expanded.
//
// Rejected: annotations that a pass reads. By then an object's type and extent are gone.
#pragma once

#include <clang/Lex/Pragma.h>
#include <clang/Lex/Token.h>

namespace weft::pragmas {

// Of the functions that pragmas call, before a hint's name.
inline constexpr const char* kHintPrefix = "__weft_hint_";
inline constexpr const char* kWithCritical = "_critical";  // behind it: a region in place of a lock
inline constexpr const char* kHintObject = "__weft_object";

class HintPragma : public clang::PragmaHandler {
 public:
  HintPragma() : PragmaHandler("weft") {}
  void HandlePragma(clang::Preprocessor& preprocessor, clang::PragmaIntroducer introducer,
                    clang::Token& weft) override;
};

}  // namespace weft::pragmas
