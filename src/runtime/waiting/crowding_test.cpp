// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/crowding.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(Crowding, ShortOffersSayNothing) {
  Crowding crowding;
  for (std::int64_t now = 1; now < 1000; ++now) {
    crowding.note_offer(Crowding::kLongOffer - 1, now);
    EXPECT_FALSE(crowding.is_crowded(now));
  }
}

TEST(Crowding, ALongOfferHasThreadsSleepInProportion) {
  constexpr std::int64_t kTook = 10'000'000, kNow = 77;
  Crowding crowding;
  crowding.note_offer(kTook, kNow);
  EXPECT_TRUE(crowding.is_crowded(kNow));
  EXPECT_TRUE(crowding.is_crowded(kNow + kTook * Crowding::kShareOfTime - 1));
  EXPECT_FALSE(crowding.is_crowded(kNow + kTook * Crowding::kShareOfTime));
}

// However long others keep the processor, a thread that offers it whenever it may has most of the
// time left to be woken in.
TEST(Crowding, OffersTakeASmallPartOfTheTime) {
  Crowding crowding;
  std::int64_t now = 0, offered = 0;
  constexpr std::int64_t kSecond = 1'000'000'000, kTook = 12'000'000, kSleep = 50'000;
  while (now < 100 * kSecond) {
    if (crowding.is_crowded(now)) {
      now += kSleep;
    } else {
      now += kTook;
      offered += kTook;
      crowding.note_offer(kTook, now);
    }
  }
  EXPECT_LT(offered * Crowding::kShareOfTime, now + kTook * Crowding::kShareOfTime);
}

}  // namespace
}  // namespace weft
