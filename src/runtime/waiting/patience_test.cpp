// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/patience.hpp"

#include <gtest/gtest.h>

#include "runtime/waiting/attendance.hpp"

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

TEST(Attendance, FollowsAMessageWhileItHasAProcessor) {
  Attendance attendance(kWaitingForMessages);
  attendance.end_turn(/*have_come=*/false, /*has_processor=*/true, 0);
  EXPECT_FALSE(attendance.lasts());
  attendance.end_turn(/*have_come=*/true, /*has_processor=*/false, 0);
  EXPECT_FALSE(attendance.lasts());
  attendance.end_turn(/*have_come=*/true, /*has_processor=*/true, 0);
  EXPECT_EQ(attendance.next(1, false), NextTurn::kAtOnce);
  attendance.end_turn(/*have_come=*/false, /*has_processor=*/true, 1);
  EXPECT_TRUE(attendance.lasts());
  attendance.end_turn(/*have_come=*/false, /*has_processor=*/false, 1);
  EXPECT_FALSE(attendance.lasts());
}

TEST(Attendance, LastsAsLongAsAWaitAfterTheLastMessage) {
  Attendance attendance(kWaitingForMessages);
  const std::int64_t most = kWaitingForMessages.awake_ns;
  attendance.end_turn(/*have_come=*/true, /*has_processor=*/true, 0);
  EXPECT_EQ(attendance.next(most, false), NextTurn::kAfterOffer);
  attendance.end_turn(/*have_come=*/true, /*has_processor=*/true, most);
  EXPECT_EQ(attendance.next(2 * most, false), NextTurn::kAfterOffer);
  EXPECT_EQ(attendance.next(2 * most + 1, false), NextTurn::kAfterSleep);
  EXPECT_FALSE(attendance.lasts());
  EXPECT_EQ(attendance.next(2 * most + 2, false), NextTurn::kAfterSleep);
}

}  // namespace
}  // namespace weft
