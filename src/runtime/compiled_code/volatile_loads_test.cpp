// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/compiled_code/volatile_loads.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(VolatileLoads, AreNotBelievedBeforeTheFirst) {
  const VolatileLoads loads;
  const int variable = 1;
  int out = 0;
  EXPECT_FALSE(loads.believe(&variable, &out, sizeof out, 1));
}

TEST(VolatileLoads, DoNotBelieveWhatIsNew) {
  VolatileLoads loads;
  std::uint16_t variable = 1, out = 0;
  loads.note(&variable, &variable, sizeof variable, 10);
  EXPECT_TRUE(loads.believe(&variable, &out, sizeof out, 11));
  EXPECT_EQ(out, 1);
  variable = 2;
  EXPECT_FALSE(loads.believe(&variable, &out, sizeof out, 12));
}

TEST(VolatileLoads, LookAgainEverLaterButBeforeLong) {
  VolatileLoads loads;
  const std::uint64_t variable = 7;
  std::uint64_t out = 0, now = 100, pause = 0;
  for (int round = 0; round < 60; ++round) {
    loads.note(&variable, &variable, sizeof variable, now);
    const std::uint64_t before = pause;
    for (pause = 0; loads.believe(&variable, &out, sizeof out, now + pause); pause += 1000) {
    }
    EXPECT_EQ(out, 7U);
    EXPECT_GE(pause, before);
    now += pause;
    if (round == 0) EXPECT_LE(pause, VolatileLoads::kShortest);
  }
  EXPECT_EQ(pause, VolatileLoads::kLongest);
}

TEST(VolatileLoads, AreShortAgainAfterAChange) {
  VolatileLoads loads;
  char variable = 3, out = 0;
  loads.note(&variable, &variable, sizeof variable, 0);
  loads.note(&variable, &variable, sizeof variable, 1'000'000'000);
  EXPECT_TRUE(loads.believe(&variable, &out, sizeof out, 1'001'000'000));
  variable = 4;
  loads.note(&variable, &variable, sizeof variable, 2'000'000'000);
  EXPECT_FALSE(loads.believe(&variable, &out, sizeof out, 2'001'000'000));
}

}  // namespace
}  // namespace weft
