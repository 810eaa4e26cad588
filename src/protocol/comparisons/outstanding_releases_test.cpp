// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/comparisons/outstanding_releases.hpp"

#include <gtest/gtest.h>

#include <string>

namespace weft {
namespace {

TEST(OutstandingReleases, KeepNothingWaitingWhereThereAreNone) {
  OutstandingReleases releases;
  bool ran = false;
  releases.when_complete([&] { ran = true; });
  EXPECT_TRUE(ran);
  EXPECT_TRUE(releases.is_empty());
}

TEST(OutstandingReleases, AreAwaitedAsFarAsTheyHadBegun) {
  OutstandingReleases releases;
  std::string order;
  const std::uint64_t first = releases.begin();
  const std::uint64_t second = releases.begin();
  releases.when_complete([&] { order += 'a'; });
  const std::uint64_t third = releases.begin();
  releases.when_complete([&] { order += 'b'; });
  releases.finish(second);
  EXPECT_EQ(order, "");
  releases.finish(first);
  EXPECT_EQ(order, "a");
  releases.finish(third);
  EXPECT_EQ(order, "ab");
}

// What comes while another runs does not overtake those that wait.
TEST(OutstandingReleases, KeepTheOrderOfTheCalls) {
  OutstandingReleases releases;
  std::string order;
  const std::uint64_t first = releases.begin();
  releases.when_complete([&] {
    order += 'a';
    releases.when_complete([&] { order += 'c'; });
  });
  releases.when_complete([&] { order += 'b'; });
  releases.finish(first);
  EXPECT_EQ(order, "abc");
  EXPECT_TRUE(releases.is_empty());
}

TEST(OutstandingReleases, MayBeginWhileWhatWaitedForOthersRuns) {
  OutstandingReleases releases;
  std::string order;
  const std::uint64_t first = releases.begin();
  std::uint64_t second = 0;
  releases.when_complete([&] { second = releases.begin(); });
  releases.when_complete([&] { order += 'b'; });
  releases.finish(first);
  EXPECT_EQ(order, "b");
  EXPECT_FALSE(releases.is_empty());
  releases.finish(second);
  EXPECT_TRUE(releases.is_empty());
}

}  // namespace
}  // namespace weft
