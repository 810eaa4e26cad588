// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/rhythm_finder.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace weft {
namespace {

using Found = std::vector<std::optional<Rhythm>>;

Found find_in(const std::vector<std::uint32_t>& requests, std::uint32_t times) {
  RhythmFinder finder;
  Found found;
  for (const std::uint32_t beginning : requests) found.push_back(finder.asked(beginning, times));
  return found;
}

TEST(Rhythm, KnowsItsBeats) {
  const Rhythm rhythm{5, 2};
  EXPECT_EQ(rhythm.first_from(1), 2U);
  EXPECT_EQ(rhythm.first_from(2), 2U);
  EXPECT_EQ(rhythm.first_from(3), 7U);
  EXPECT_TRUE(rhythm.includes(12));
  EXPECT_FALSE(rhythm.includes(13));
  EXPECT_TRUE(Rhythm().includes(13));
  EXPECT_EQ(Rhythm().first_from(13), 13U);
}

TEST(RhythmFinder, WantsTheSameDistanceTwice) {
  const Found found = find_in({3, 19, 35, 51}, 2);
  EXPECT_EQ(found, (Found{{}, {}, Rhythm{16, 3}, Rhythm{16, 3}}));
}

TEST(RhythmFinder, BeginsAnewWithAnotherDistance) {
  const Found found = find_in({3, 19, 30, 46, 62}, 2);
  EXPECT_EQ(found, (Found{{}, {}, {}, {}, Rhythm{16, 14}}));
}

TEST(RhythmFinder, TakesNoAccountOfWhatIsAskedForTwice) {
  EXPECT_EQ(find_in({3, 3, 7, 7, 11}, 2), (Found{{}, {}, {}, {}, Rhythm{4, 3}}));
}

TEST(RhythmFinder, FindsEverySecondTime) {
  EXPECT_EQ(find_in({3, 5, 7}, 2), (Found{{}, {}, Rhythm{2, 1}}));
}

TEST(RhythmFinder, LeavesEachTimeToPlainSubscriptions) {
  EXPECT_EQ(find_in({3, 4, 5, 6}, 2), (Found{{}, {}, {}, {}}));
}

}  // namespace
}  // namespace weft
