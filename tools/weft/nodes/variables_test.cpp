// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/nodes/variables.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Variables, AreTakenApartAtTheFirstSign) {
  const auto found = variable_of("LS_COLORS=di=01;34");
  ASSERT_TRUE(found);
  EXPECT_EQ(found->name, "LS_COLORS");
  EXPECT_EQ(found->value, "di=01;34");
  ASSERT_TRUE(variable_of("EMPTY="));
  EXPECT_EQ(variable_of("EMPTY=")->value, "");
}

TEST(Variables, NeedANameAndASign) {
  EXPECT_FALSE(variable_of(""));
  EXPECT_FALSE(variable_of("NAME"));
  EXPECT_FALSE(variable_of("=value"));
}

}  // namespace
}  // namespace weft
