// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "transport/quiet_looks.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr unsigned kPolls = Transport::kPollsPerQuietLook;

// Polls until one looks, that one included.
unsigned polls_until_look(QuietLooks& looks) {
  unsigned polls = 1;
  while (!looks.next(ArmedFor::kLoud, false)) ++polls;
  return polls;
}

TEST(QuietLooks, AreRareWhereNobodyNeedsQuietMessages) {
  QuietLooks looks;
  EXPECT_EQ(polls_until_look(looks), kPolls);
  EXPECT_EQ(polls_until_look(looks), kPolls);
}

TEST(QuietLooks, AreAtEachPollWhereTheyAreNeeded) {
  QuietLooks looks;
  EXPECT_TRUE(looks.next(ArmedFor::kAll, false));
  EXPECT_TRUE(looks.next(ArmedFor::kAll, false));
  EXPECT_FALSE(looks.next(ArmedFor::kLoud, false));
  EXPECT_TRUE(looks.next(ArmedFor::kLoud, /*has_early=*/true));
  EXPECT_EQ(polls_until_look(looks), kPolls);
}

}  // namespace
}  // namespace weft
