// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/standing_back.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

// A service thread that looks, and threads that drive in between.
class StandingBackTest : public testing::Test {
 protected:
  static constexpr bool kWoken = true;

  StandingBackTest() { (void)look(0, 1); }

  [[nodiscard]] bool look(std::uint64_t drives, std::int64_t pauses, bool is_woken = false) {
    begun_ += drives;
    now_ns_ += pauses * LookPause::kLeastNanoseconds;
    return standing_back_.at_look(begun_, now_ns_, is_woken);
  }

 private:
  StandingBack standing_back_;
  std::uint64_t begun_ = 0;
  std::int64_t now_ns_ = 1'000'000'000;
};

TEST_F(StandingBackTest, BeginsWhenAMessageWakesItThoughThreadsDriveOften) {
  EXPECT_FALSE(look(10, 1));
  EXPECT_FALSE(look(10, 1));
  EXPECT_FALSE(look(1, 1, kWoken));
  EXPECT_TRUE(look(1, 1));
  EXPECT_TRUE(look(16, 16));
}

TEST_F(StandingBackTest, EndsWhenThreadsDriveLessOftenThanItLooks) {
  EXPECT_FALSE(look(1, 0, kWoken));
  EXPECT_TRUE(look(1, 1));
  EXPECT_FALSE(look(15, 16));
  EXPECT_FALSE(look(10, 1));
}

TEST_F(StandingBackTest, DoesNotBeginWhereThreadsCompute) {
  EXPECT_FALSE(look(0, 1, kWoken));
  EXPECT_FALSE(look(10, 1));
  EXPECT_FALSE(look(3, 4, kWoken));
  EXPECT_FALSE(look(10, 1));
}

TEST_F(StandingBackTest, IsOverWhereNobodyDrivesHoweverSoonItLooks) {
  EXPECT_FALSE(look(1, 0, kWoken));
  EXPECT_FALSE(look(0, 0));
}

}  // namespace
}  // namespace weft
