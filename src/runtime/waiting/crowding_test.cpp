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
  EXPECT_TRUE(crowding.is_crowded(kNow + kTook * Crowding::kFirstShare - 1));
  EXPECT_FALSE(crowding.is_crowded(kNow + kTook * Crowding::kFirstShare));
}

// Who comes by now and then costs little.
TEST(Crowding, LongOffersFarApartHaveThreadsSleepForAShortTime) {
  constexpr std::int64_t kTook = 4'000'000, kApart = 100'000'000;
  Crowding crowding;
  for (std::int64_t now = kApart; now < 100 * kApart; now += kApart) {
    crowding.note_offer(kTook, now);
    EXPECT_TRUE(crowding.is_crowded(now + kTook * Crowding::kFirstShare - 1));
    EXPECT_FALSE(crowding.is_crowded(now + kTook * Crowding::kFirstShare));
  }
}

TEST(Crowding, ALongOfferBehindAnotherHasThreadsSleepTwiceAsLong) {
  constexpr std::int64_t kTook = 1'000'000;
  Crowding crowding;
  std::int64_t now = 0;
  for (std::int64_t share = Crowding::kFirstShare; share <= Crowding::kLargestShare; share *= 2) {
    now += kTook;
    crowding.note_offer(kTook, now);
    EXPECT_TRUE(crowding.is_crowded(now + kTook * share - 1));
    now += kTook * share;
    EXPECT_FALSE(crowding.is_crowded(now));
  }
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
  EXPECT_LT(offered * Crowding::kLargestShare, now + 7 * kTook * Crowding::kLargestShare);
}

}  // namespace
}  // namespace weft
