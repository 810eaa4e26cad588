// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/look_pause.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

void look_in_vain(LookPause& pause, unsigned looks) {
  for (unsigned i = 0; i < looks; ++i) pause.note_in_vain();
}

TEST(LookPause, GrowsWhileLooksAreInVain) {
  LookPause pause;
  look_in_vain(pause, LookPause::kLooks - 1);
  EXPECT_EQ(pause.nanoseconds(), LookPause::kLeastNanoseconds);
  look_in_vain(pause, 1);
  EXPECT_EQ(pause.nanoseconds(), 2 * LookPause::kLeastNanoseconds);
  look_in_vain(pause, 1000);
  EXPECT_EQ(pause.nanoseconds(), LookPause::kMostNanoseconds);
}

TEST(LookPause, IsShortAgainOnceItWasNeeded) {
  LookPause pause;
  look_in_vain(pause, 1000);
  pause.note_needed();
  EXPECT_EQ(pause.nanoseconds(), LookPause::kLeastNanoseconds);
  look_in_vain(pause, LookPause::kLooks - 1);
  EXPECT_EQ(pause.nanoseconds(), LookPause::kLeastNanoseconds);
}

// What waits for a look waits less than the looks before it took together.
TEST(LookPause, NothingWaitsLongerThanHalfOfTheTimeBefore) {
  LookPause pause;
  std::int64_t passed = 0;
  for (int look = 0; look < 1000; ++look) {
    const std::int64_t before = pause.nanoseconds();
    passed += before;
    pause.note_in_vain();
    if (pause.nanoseconds() != before) {
      EXPECT_LE(pause.nanoseconds(), 2 * passed / LookPause::kLooks);
    }
  }
}

}  // namespace
}  // namespace weft
