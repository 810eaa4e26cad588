// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/comparisons/outstanding_releases.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <variant>

namespace weft {
namespace {

constexpr step::Complete kFirst{WaitId(1)}, kSecond{WaitId(2)}, kThird{WaitId(3)};

// The step that may be taken, by its wait; WaitId(0) is none.
WaitId next_of(OutstandingReleases& releases) {
  const std::optional<Step> step = releases.take_ready();
  return step ? std::get<step::Complete>(*step).wait : WaitId(0);
}

TEST(OutstandingReleases, KeepNothingWaitingWhereThereAreNone) {
  OutstandingReleases releases;
  EXPECT_TRUE(releases.complete_or_keep(kFirst));
  EXPECT_TRUE(releases.is_empty());
}

TEST(OutstandingReleases, AreAwaitedAsFarAsTheyHadBegun) {
  OutstandingReleases releases;
  const std::uint64_t first = releases.begin();
  const std::uint64_t second = releases.begin();
  EXPECT_FALSE(releases.complete_or_keep(kFirst));
  const std::uint64_t third = releases.begin();
  EXPECT_FALSE(releases.complete_or_keep(kSecond));
  releases.finish(second);
  EXPECT_EQ(next_of(releases), WaitId(0));
  releases.finish(first);
  EXPECT_EQ(next_of(releases), kFirst.wait);
  EXPECT_EQ(next_of(releases), WaitId(0));
  releases.finish(third);
  EXPECT_EQ(next_of(releases), kSecond.wait);
}

// What comes while a step is taken does not overtake those that wait.
TEST(OutstandingReleases, KeepTheOrderOfTheCalls) {
  OutstandingReleases releases;
  const std::uint64_t first = releases.begin();
  EXPECT_FALSE(releases.complete_or_keep(kFirst));
  EXPECT_FALSE(releases.complete_or_keep(kSecond));
  releases.finish(first);
  EXPECT_EQ(next_of(releases), kFirst.wait);
  EXPECT_FALSE(releases.complete_or_keep(kThird));
  EXPECT_EQ(next_of(releases), kSecond.wait);
  EXPECT_EQ(next_of(releases), kThird.wait);
  EXPECT_TRUE(releases.is_empty());
}

TEST(OutstandingReleases, MayBeginWhileAStepIsTaken) {
  OutstandingReleases releases;
  const std::uint64_t first = releases.begin();
  EXPECT_FALSE(releases.complete_or_keep(kFirst));
  EXPECT_FALSE(releases.complete_or_keep(kSecond));
  releases.finish(first);
  EXPECT_EQ(next_of(releases), kFirst.wait);
  const std::uint64_t second = releases.begin();
  EXPECT_EQ(next_of(releases), kSecond.wait);
  EXPECT_FALSE(releases.is_empty());
  releases.finish(second);
  EXPECT_TRUE(releases.is_empty());
}

}  // namespace
}  // namespace weft
