// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/driving_rate.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr std::int64_t kStart = 1'000'000'000;
constexpr std::int64_t kLook = LookPause::kLeastNanoseconds;

TEST(DrivingRate, IsHighIfThreadsDriveAsOftenAsTheServiceThreadLooks) {
  DrivingRate rate;
  (void)rate.is_high(1'000, kStart);
  EXPECT_TRUE(rate.is_high(1'001, kStart + kLook));
  EXPECT_TRUE(rate.is_high(1'011, kStart + 11 * kLook));
  EXPECT_FALSE(rate.is_high(1'020, kStart + 21 * kLook));
}

TEST(DrivingRate, CountsFromOneLookToTheNext) {
  DrivingRate rate;
  (void)rate.is_high(0, kStart);
  EXPECT_TRUE(rate.is_high(100, kStart + kLook));
  EXPECT_FALSE(rate.is_high(100, kStart + 2 * kLook));
  EXPECT_TRUE(rate.is_high(101, kStart + 3 * kLook));
}

TEST(DrivingRate, IsNotHighWhereNobodyDrivesHoweverSoonItIsAsked) {
  DrivingRate rate;
  (void)rate.is_high(5, kStart);
  EXPECT_FALSE(rate.is_high(5, kStart + 1));
}

}  // namespace
}  // namespace weft
