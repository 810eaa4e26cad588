// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "weft/task/task_wishes.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace weft {
namespace {

class TaskWishesTest : public ::testing::Test {
 protected:
  void SetUp() override { TearDown(); }
  void TearDown() override {
    unsetenv("WEFT_DEADLOCK");
    unsetenv("WEFT_GRACE");
  }
};

TEST_F(TaskWishesTest, AreThoseOfWeftRunWhereNothingIsSaid) {
  setenv("WEFT_DEADLOCK", "", 1);
  const auto wishes = wishes_from_environment();
  ASSERT_TRUE(wishes) << wishes.error();
  EXPECT_EQ(wishes.value().deadlock, OnDeadlock::kReport);
  EXPECT_EQ(wishes.value().grace_seconds, 10U);
}

TEST_F(TaskWishesTest, AreTheUsers) {
  setenv("WEFT_DEADLOCK", "abort", 1);
  setenv("WEFT_GRACE", "0", 1);
  EXPECT_EQ(wishes_from_environment().value().deadlock, OnDeadlock::kAbort);
  EXPECT_EQ(wishes_from_environment().value().grace_seconds, 0U);
  setenv("WEFT_DEADLOCK", "off", 1);
  EXPECT_EQ(wishes_from_environment().value().deadlock, OnDeadlock::kOff);
}

TEST_F(TaskWishesTest, AreRefusedWhereTheyMakeNoSense) {
  setenv("WEFT_GRACE", "2s", 1);
  EXPECT_EQ(wishes_from_environment().error(), "WEFT_GRACE=2s is not a number of seconds");
  setenv("WEFT_DEADLOCK", "perhaps", 1);
  EXPECT_EQ(wishes_from_environment().error(), "WEFT_DEADLOCK=perhaps is not report, abort or off");
}

}  // namespace
}  // namespace weft
