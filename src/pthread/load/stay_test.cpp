// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/load/stay.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

void pass(Stay& stay, std::uint32_t points) {
  for (std::uint32_t point = 0; point < points; ++point) stay.pass_point();
}

TEST(Stay, OfANewThreadIsOverAtOnce) { EXPECT_TRUE(Stay().is_over()); }

TEST(Stay, LastsForSomePointsAfterAMove) {
  Stay stay;
  stay.begin_next();
  pass(stay, Stay::kShortest - 1);
  EXPECT_FALSE(stay.is_over());
  pass(stay, 1);
  EXPECT_TRUE(stay.is_over());
}

TEST(Stay, DoublesForAThreadThatIsMovedAgainSoon) {
  Stay stay;
  std::uint32_t length = Stay::kShortest;
  for (stay.begin_next(); length < Stay::kLongest; length *= 2) {
    EXPECT_EQ(stay.length, length);
    pass(stay, length);
    stay.begin_next();
  }
  EXPECT_EQ(stay.length, Stay::kLongest);
  stay.begin_next();
  EXPECT_EQ(stay.length, Stay::kLongest);
}

TEST(Stay, IsShortAgainAfterALongOne) {
  Stay stay;
  stay.begin_next();
  pass(stay, Stay::kShortest);
  stay.begin_next();
  ASSERT_EQ(stay.length, 2 * Stay::kShortest);
  pass(stay, Stay::kSoon * stay.length);
  stay.begin_next();
  EXPECT_EQ(stay.length, Stay::kShortest);
}

TEST(Stay, IsForGoodWhereTheProgramSaysSo) {
  Stay stay;
  stay.is_for_good = true;
  pass(stay, 1000);
  EXPECT_FALSE(stay.is_over());
}

}  // namespace
}  // namespace weft::pthread
