// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlopen and what belongs to it for foreign libraries whose static data is shared: what such a
// library loads for the program is loaded on all nodes (loading.hpp), as its handle and the
// addresses of functions are among what it shares. Its calls are bound to these when it is adopted.
#pragma once

#include <string_view>

namespace weft {

// What the library is to call in place of the C function of this name; null: that one itself.
[[nodiscard]] void* loading_for_library(std::string_view name);

}  // namespace weft
