// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/driver/rest_state.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(RestState, BeginsAtABarrierToWhichAllThreadsCome) {
  RestState rest;
  EXPECT_FALSE(rest.is_at_rest());
  EXPECT_FALSE(rest.arrive());
  EXPECT_TRUE(rest.is_at_rest());
  rest.end_rest();
  EXPECT_FALSE(rest.is_at_rest());
}

TEST(RestState, DoesNotBeginWhileThereAreThreadsOutsideTheTeam) {
  RestState rest;
  rest.count_outside_threads(1);
  EXPECT_TRUE(rest.arrive());
  EXPECT_FALSE(rest.is_at_rest());
  rest.wait_for_region();
  EXPECT_FALSE(rest.is_at_rest());
  rest.count_outside_threads(-1);
  rest.wait_for_region();
  EXPECT_TRUE(rest.is_at_rest());
}

}  // namespace
}  // namespace weft
