// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" int other(void) {
  try {
    std::vector<int> none;
    return none.at(1);
  } catch (const std::out_of_range& error) {
    return std::string(error.what()).empty() ? 0 : 42;
  }
}
