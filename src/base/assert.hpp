// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// WEFT_ASSERT(condition, "text with {}", values...): a broken promise of Weft's own code. On in
// every build. The handler prints the sentence with this node's context and ends the process;
// the runtime replaces the handler so that the whole job ends.
#pragma once

#include <fmt/format.h>

#include <string_view>

namespace weft {

// Called once with the finished sentence; must not return.
using FailureHandler = void (*)(std::string_view sentence);

// Replaces the handler (the default prints to standard error and aborts); returns the old one.
FailureHandler set_failure_handler(FailureHandler handler);

[[noreturn]] void fail_assertion(const char* condition, const char* file, int line,
                                 std::string_view details);

}  // namespace weft

#define WEFT_ASSERT(condition, ...)                                                          \
  do {                                                                                       \
    if (!(condition)) [[unlikely]] {                                                         \
      ::weft::fail_assertion(#condition, __FILE__, __LINE__, ::fmt::format("" __VA_ARGS__)); \
    }                                                                                        \
  } while (false)
