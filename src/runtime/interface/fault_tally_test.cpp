// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/fault_tally.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

void note(FaultTally& tally, NodeId home, std::uint32_t times) {
  for (std::uint32_t each = 0; each < times; ++each) tally.note(home);
}

TEST(FaultTally, IsFullWithAWindow) {
  FaultTally tally;
  note(tally, NodeId(1), FaultTally::kWindow - 1);
  EXPECT_FALSE(tally.is_full());
  tally.note(NodeId(1));
  EXPECT_TRUE(tally.is_full());
  tally.clear();
  EXPECT_FALSE(tally.is_full());
}

TEST(FaultTally, NeedsThreeQuartersOfOneHome) {
  for (const std::uint16_t rest : {0, 2}) {
    FaultTally tally;
    note(tally, NodeId(1), FaultTally::kMost);
    note(tally, NodeId(rest), FaultTally::kWindow - FaultTally::kMost);
    EXPECT_EQ(tally.home_of_most(), NodeId(1));
    tally.clear();
    note(tally, NodeId(1), FaultTally::kMost - 1);
    note(tally, NodeId(rest), FaultTally::kWindow - FaultTally::kMost + 1);
    EXPECT_EQ(tally.home_of_most(), kNoNode);
  }
}

TEST(FaultTally, ForgetsWhatIsMoreThanAWindowAgo) {
  FaultTally tally;
  note(tally, NodeId(3), 5 * FaultTally::kWindow);
  note(tally, NodeId(2), FaultTally::kMost);
  EXPECT_EQ(tally.home_of_most(), NodeId(2));
}

TEST(FaultTally, SaysOverHowManyPointsTheWindowSpreads) {
  FaultTally tally;
  note(tally, NodeId(1), 7);
  tally.pass_point();
  tally.pass_point();
  note(tally, NodeId(1), FaultTally::kWindow - 1);
  EXPECT_EQ(tally.points(), 2U);
  tally.note(NodeId(1));
  EXPECT_EQ(tally.points(), 0U);
  tally.pass_point();
  EXPECT_EQ(tally.points(), 0U);
  tally.note(NodeId(1));
  EXPECT_EQ(tally.points(), 1U);
}

}  // namespace
}  // namespace weft
