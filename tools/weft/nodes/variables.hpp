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

// The value in this process's environment; empty, too, if it is not there.
[[nodiscard]] std::string from_environment(const char* name);

}  // namespace weft
