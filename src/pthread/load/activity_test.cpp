// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/load/activity.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

constexpr std::uint64_t kRuns = 6, kWaits = 7, kRanBetween = 9;

TEST(Activity, OfAThreadThatRunsNeverEnds) {
  Activity activity(kRuns);
  for (unsigned look = 0; look < 10 * Activity::kLooks; ++look) EXPECT_TRUE(activity.look(kRuns));
}

TEST(Activity, EndsWhereAThreadWaitsForLong) {
  Activity activity(kRuns);
  EXPECT_TRUE(activity.look(kWaits));
  for (unsigned look = 1; look < Activity::kLooks; ++look) EXPECT_TRUE(activity.look(kWaits));
  for (unsigned look = 0; look < Activity::kLooks; ++look) EXPECT_FALSE(activity.look(kWaits));
}

TEST(Activity, IsThatOfAThreadWhichHasRunBetweenTwoWaits) {
  Activity activity(kWaits);
  for (unsigned look = 0; look < Activity::kLooks; ++look) (void)activity.look(kWaits);
  ASSERT_FALSE(activity.look(kWaits));
  EXPECT_TRUE(activity.look(kRanBetween));
  EXPECT_TRUE(activity.look(kRanBetween));
}

}  // namespace
}  // namespace weft::pthread
