// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How a simulated run ends when something is wrong. Assertions of the engine arrive here too.
#pragma once

#include <fmt/format.h>

#include <stdexcept>

namespace weft::sim {

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Makes WEFT_ASSERT throw a Failure, and messages that cannot be read, in this whole program.
void turn_assertions_into_failures();

}  // namespace weft::sim

#define SIM_CHECK(condition, ...)                           \
  do {                                                      \
    if (!(condition)) [[unlikely]]                          \
      throw ::weft::sim::Failure(fmt::format(__VA_ARGS__)); \
  } while (false)
