// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/passing_polls.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(PassingPolls, AreDueOnceInAMoment) {
  PassingPolls polls;
  EXPECT_FALSE(polls.any_since_last_look());
  EXPECT_TRUE(polls.is_due(1'000'000));
  EXPECT_FALSE(polls.is_due(1'000'001));
  EXPECT_TRUE(polls.is_due(2'000'000));
  EXPECT_TRUE(polls.any_since_last_look());
  EXPECT_FALSE(polls.any_since_last_look());
}

}  // namespace
}  // namespace weft
