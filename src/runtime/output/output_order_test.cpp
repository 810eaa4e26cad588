// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/output/output_order.hpp"

#include <gtest/gtest.h>

#include <cstdio>

namespace weft {
namespace {

// What is settled does not call for being settled again: it would at each lock and each barrier.
TEST(OutputOrder, IsSettledOnce) {
  settle_output();
  std::fputs("a line of the test\n", stdout);
  {
    const Printed printed(stderr);
  }
  EXPECT_TRUE(has_new_output());
  settle_output();
  EXPECT_FALSE(has_new_output());
  settle_output();
  EXPECT_FALSE(has_new_output());
}

TEST(OutputOrder, AFlushOfNothingIsNoOutput) {
  std::fflush(stdout);
  EXPECT_EQ(with_output(stdout), nullptr);
  EXPECT_EQ(with_output(nullptr), nullptr);
  std::fputs("another\n", stdout);
  EXPECT_EQ(with_output(stdout), stdout);
  EXPECT_EQ(with_output(nullptr), stdout);
  std::fflush(stdout);
  FILE* const other = std::tmpfile();
  ASSERT_NE(other, nullptr);
  std::fputs("elsewhere\n", other);
  EXPECT_EQ(with_output(other), nullptr);
  std::fclose(other);
}

}  // namespace
}  // namespace weft
