// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sim/checkers/failure.hpp"

#include <string>

#include "base/assert.hpp"
#include "base/peers/sender.hpp"

namespace weft::sim {

void turn_assertions_into_failures() {
  set_failure_handler([](std::string_view sentence) { throw Failure(std::string(sentence)); });
  set_unreadable_handler([](NodeId from, std::string_view what) {
    throw Failure(fmt::format("what node {} has sent cannot be read: {}", from.value(), what));
  });
}

}  // namespace weft::sim
