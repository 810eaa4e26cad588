// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Variables of an environment, as they travel and as the kernel has them: NAME=VALUE.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft {

struct Variable {
  std::string name, value;
};

// Nothing if there is no name, or no sign behind it.
[[nodiscard]] std::optional<Variable> variable_of(std::string_view entry);

}  // namespace weft
