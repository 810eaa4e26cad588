// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Failures of system calls as sentences: "cannot X: Y (errno text)".
#pragma once

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/result.hpp"

namespace weft {

// "<sentence>: <text of error_number>".
[[nodiscard]] inline Failure system_failure(int error_number, std::string sentence) {
  return Failure{fmt::format("{}: {}", sentence, std::strerror(error_number))};
}

}  // namespace weft
