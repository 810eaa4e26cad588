// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/queries/environment.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace weft::openmp {
namespace {

constexpr const char* kName = "WEFT_TEST_LOGICAL_VARIABLE";

TEST(LogicalVariable, IsReadAsLibompReadsIt) {
  for (const char* text :
       {"true", "TRUE", "T", "on", "1", ".true.", ".T.", "yes", "y", "enabled"}) {
    setenv(kName, text, 1);
    EXPECT_TRUE(logical_variable(kName, false)) << text;
  }
  for (const char* text : {"false", "F", "off", "0", ".false.", "no", "disabled"}) {
    setenv(kName, text, 1);
    EXPECT_FALSE(logical_variable(kName, true)) << text;
  }
}

TEST(LogicalVariable, ThatSaysNothingIsWhatItIsWithoutIt) {
  for (const char* text : {"", "o", "truer", "2", "perhaps"}) {
    setenv(kName, text, 1);
    EXPECT_TRUE(logical_variable(kName, true)) << text;
    EXPECT_FALSE(logical_variable(kName, false)) << text;
  }
  unsetenv(kName);
  EXPECT_TRUE(logical_variable(kName, true));
}

}  // namespace
}  // namespace weft::openmp
