// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/patience.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Patience, OffersTheProcessorAfterAMomentAndThenSleeps) {
  for (const WaitingTimes& times : {kWaitingForMessages, kWaitingForNeighbours}) {
    EXPECT_EQ(next_turn(times, 0, false), NextTurn::kAtOnce);
    EXPECT_EQ(next_turn(times, times.alone_ns - 1, false), NextTurn::kAtOnce);
    EXPECT_EQ(next_turn(times, times.alone_ns, false), NextTurn::kAfterOffer);
    EXPECT_EQ(next_turn(times, times.awake_ns, false), NextTurn::kAfterOffer);
    EXPECT_EQ(next_turn(times, times.awake_ns + 1, false), NextTurn::kAfterSleep);
  }
}

TEST(Patience, OffersTheProcessorAtOnceWhereThreadsShareIt) {
  EXPECT_EQ(next_turn(kWaitingAwake, INT64_MAX, true), NextTurn::kAfterOffer);
  EXPECT_EQ(next_turn(kWaitingOversubscribed, 0, false), NextTurn::kAfterOffer);
  EXPECT_EQ(next_turn(kWaitingOversubscribed, kWaitingOversubscribed.awake_ns + 1, false),
            NextTurn::kAfterSleep);
}

TEST(Patience, SleepsAfterTheFirstMomentOnACrowdedMachine) {
  for (const WaitingTimes& times :
       {kWaitingForMessages, kWaitingOversubscribed, kWaitingForNeighbours}) {
    EXPECT_EQ(next_turn(times, kCrowdedNanoseconds - 1, true), NextTurn::kAtOnce);
    EXPECT_EQ(next_turn(times, kCrowdedNanoseconds, true), NextTurn::kAfterSleep);
  }
}

}  // namespace
}  // namespace weft
