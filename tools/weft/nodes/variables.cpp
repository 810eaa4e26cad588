// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/variables.hpp"

#include <cstdlib>

namespace weft {

std::optional<Variable> variable_of(std::string_view entry) {
  const std::size_t middle = entry.find('=');
  if (middle == std::string_view::npos || middle == 0) return std::nullopt;
  return Variable{std::string(entry.substr(0, middle)), std::string(entry.substr(middle + 1))};
}

std::string from_environment(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? "" : text;
}

}  // namespace weft
