// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Throws exceptions and catches them, for a program that has no C++ runtime of its own.
#include <stdexcept>
#include <string>

extern "C" int caught(int count) {
  int found = 0;
  for (int each = 0; each < count; ++each) {
    try {
      throw std::runtime_error(std::to_string(each));
    } catch (const std::exception& error) {
      found += std::stoi(error.what()) == each;
    }
  }
  return found;
}
