// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages in words, for scenarios.
#pragma once

#include <string>
#include <string_view>

#include "base/bytes.hpp"

namespace weft::sim {

[[nodiscard]] std::string_view text_of(ByteView payload);
// What is in a message, as far as a scenario is about it.
[[nodiscard]] std::string describe(ByteView message);

}  // namespace weft::sim
