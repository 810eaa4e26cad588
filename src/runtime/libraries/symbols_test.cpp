// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/libraries/symbols.hpp"

#include <gtest/gtest.h>
#include <link.h>

namespace weft_symbols_test {
int known_variable[10];
}

namespace weft {
namespace {

// Where this executable was linked to, if it can be moved.
std::uintptr_t load_address() {
  std::uintptr_t address = 0;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* found) {
        *static_cast<std::uintptr_t*>(found) = object->dlpi_addr;
        return 1;
      },
      &address);
  return address;
}

TEST(Symbols, NameAVariableAndThePlaceInIt) {
  const auto address = reinterpret_cast<std::uintptr_t>(&weft_symbols_test::known_variable[2]);
  const std::string name = variable_at("/proc/self/exe", address - load_address());
  EXPECT_TRUE(name.find("known_variable") != std::string::npos && name.ends_with(" + 8")) << name;
}

TEST(Symbols, SayNothingOfWhatTheyDoNotKnow) {
  EXPECT_EQ(variable_at("/proc/self/exe", 1), "");
  EXPECT_EQ(variable_at("/nowhere", 0x400000), "");
}

}  // namespace
}  // namespace weft
