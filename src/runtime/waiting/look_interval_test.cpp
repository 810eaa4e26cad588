// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/look_interval.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

void look_in_vain(LookInterval& interval, unsigned looks) {
  for (unsigned i = 0; i < looks; ++i) interval.note_in_vain();
}

TEST(LookInterval, GrowsWhileLooksAreInVain) {
  LookInterval interval;
  look_in_vain(interval, LookInterval::kLooks - 1);
  EXPECT_EQ(interval.nanoseconds(), LookInterval::kLeastNanoseconds);
  look_in_vain(interval, 1);
  EXPECT_EQ(interval.nanoseconds(), 2 * LookInterval::kLeastNanoseconds);
  look_in_vain(interval, 1000);
  EXPECT_EQ(interval.nanoseconds(), LookInterval::kMostNanoseconds);
}

TEST(LookInterval, IsShortAgainOnceItWasNeeded) {
  LookInterval interval;
  look_in_vain(interval, 1000);
  interval.note_needed();
  EXPECT_EQ(interval.nanoseconds(), LookInterval::kLeastNanoseconds);
  look_in_vain(interval, LookInterval::kLooks - 1);
  EXPECT_EQ(interval.nanoseconds(), LookInterval::kLeastNanoseconds);
}

// What waits for a look waits less than the looks before it took together.
TEST(LookInterval, NothingWaitsLongerThanASixteenthOfTheTimeBefore) {
  LookInterval interval;
  std::int64_t passed = 0;
  for (int look = 0; look < 1000; ++look) {
    const std::int64_t before = interval.nanoseconds();
    passed += before;
    interval.note_in_vain();
    if (interval.nanoseconds() != before) {
      EXPECT_LE(interval.nanoseconds(), 2 * passed / LookInterval::kLooks);
    }
  }
}

}  // namespace
}  // namespace weft
