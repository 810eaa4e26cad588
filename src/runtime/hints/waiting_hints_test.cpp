// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/hints/waiting_hints.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Hints = std::vector<Hint>;

Hint hint(HintKind kind, std::uintptr_t first = 0x1000) {
  return {.kind = kind, .first = first, .bytes = 0x1000};
}

constexpr HintKind kAtOnce = HintKind::kBroadcast, kBehind = HintKind::kAllToAll,
                   kStanding = HintKind::kReadMostly;

TEST(WaitingHints, SaidOutsideOfRegionsArePublishedOnce) {
  WaitingHints hints;
  EXPECT_FALSE(hints.say(hint(kAtOnce), false));
  EXPECT_FALSE(hints.say(hint(kAtOnce), false));
  EXPECT_TRUE(hints.empty());  // nothing to do at a barrier
  EXPECT_EQ(hints.take_published(), Hints{hint(kAtOnce)});
  EXPECT_EQ(hints.take_published(), Hints{});
}

TEST(WaitingHints, AreDueWhenTheRegionBeginsOrBehindItsBarrier) {
  WaitingHints hints;
  const Hints published{hint(kAtOnce), hint(kBehind)};
  EXPECT_EQ(hints.begin_region(published), Hints{hint(kAtOnce)});
  EXPECT_FALSE(hints.empty());
  EXPECT_EQ(hints.pass_barrier(), Hints{hint(kBehind)});
  EXPECT_TRUE(hints.empty());
  EXPECT_EQ(hints.pass_barrier(), Hints{});
}

TEST(WaitingHints, SaidByAllThreadsOfARegionCountOnce) {
  WaitingHints hints;
  EXPECT_TRUE(hints.say(hint(kAtOnce), true));
  EXPECT_FALSE(hints.say(hint(kAtOnce), true));
  EXPECT_TRUE(hints.say(hint(kAtOnce, 0x5000), true));
  EXPECT_FALSE(hints.say(hint(kBehind), true));
  EXPECT_FALSE(hints.say(hint(kBehind), true));
  EXPECT_EQ(hints.pass_barrier(), Hints{hint(kBehind)});
  EXPECT_TRUE(hints.say(hint(kAtOnce), true));
}

// Other nodes than 0 rest behind a region's last barrier.
TEST(WaitingHints, OfTheLastBarrierAreDueWhenTheNextRegionBegins) {
  WaitingHints hints;
  EXPECT_FALSE(hints.say(hint(kBehind), true));
  EXPECT_EQ(hints.begin_region({}), Hints{hint(kBehind)});
}

TEST(WaitingHints, ThatStandAreDueOnceByThemselves) {
  WaitingHints hints;
  const Hints published{hint(kStanding)};
  EXPECT_EQ(hints.begin_region(published), published);
  EXPECT_EQ(hints.standing(), published);
  EXPECT_EQ(hints.begin_region(published), Hints{});
  EXPECT_EQ(hints.pass_barrier(), Hints{});
  EXPECT_EQ(hints.standing(), published);
}

TEST(WaitingHints, AreForgottenByTheirMemory) {
  WaitingHints hints;
  (void)hints.say(hint(kStanding, 0x1000), true);
  (void)hints.say(hint(kStanding, 0x3000), true);
  (void)hints.say(hint(kBehind, 0x1000), true);
  (void)hints.say(hint(kAtOnce, 0x1000), false);
  hints.forget(0x0, 0x1000);
  EXPECT_EQ(hints.standing().size(), 2);
  hints.forget(0x1fff, 0x3000);
  EXPECT_EQ(hints.standing(), Hints{hint(kStanding, 0x3000)});
  EXPECT_EQ(hints.pass_barrier(), Hints{});
  EXPECT_EQ(hints.take_published(), Hints{});
}

TEST(WaitingHints, AreKeptUpToALimit) {
  WaitingHints hints;
  for (std::size_t i = 0; i <= WaitingHints::kMost; ++i) {
    (void)hints.say(hint(kBehind, 0x1000 * i), true);
  }
  const Hints due = hints.pass_barrier();
  EXPECT_EQ(due.size(), WaitingHints::kMost);
  EXPECT_EQ(due.front(), hint(kBehind, 0x1000));
}

}  // namespace
}  // namespace weft
