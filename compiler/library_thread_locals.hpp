// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one rule by which the pass and the link agree whose an undefined thread-local variable is.
#pragma once

#include <string_view>

namespace weft {

// The C++ library's and Weft's own are each thread's own, for all code.
[[nodiscard]] inline bool is_thread_local_of_libraries(std::string_view name) {
  return name.starts_with("_ZSt") || name.starts_with("_ZNSt") || name.starts_with("__weft_");
}

}  // namespace weft
