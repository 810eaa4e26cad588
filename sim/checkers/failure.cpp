// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/failure.hpp"

#include <string>

#include "base/assert.hpp"

namespace weft::sim {

void turn_assertions_into_failures() {
  set_failure_handler([](std::string_view sentence) { throw Failure(std::string(sentence)); });
}

}  // namespace weft::sim
