// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/messages/link_counts.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

TEST(LinkCounts, CountsEachNodeOnceAnEpoch) {
  LinkCounts counts;
  for (int page = 0; page < 3; ++page) counts.note_sent(NodeId(1));
  counts.note_shared(NodeId(1));
  counts.note_shared(NodeId(2));
  counts.end_epoch(4);
  counts.note_sent(NodeId(1));
  counts.end_epoch(4);
  const std::vector<Link> links = counts.take(NodeId(7));
  ASSERT_EQ(links.size(), 2U);
  EXPECT_EQ(links[0].from, NodeId(7));
  EXPECT_EQ(links[0].to, NodeId(1));
  EXPECT_EQ(links[0].sent, 2U);
  EXPECT_EQ(links[0].shared, 1U);
  EXPECT_EQ(links[1].to, NodeId(2));
  EXPECT_EQ(links[1].sent, 0U);
  EXPECT_EQ(links[1].shared, 1U);
  EXPECT_TRUE(counts.take(NodeId(7)).empty());
}

TEST(LinkCounts, LeavesOutWhatDoesNotGoWithABarrier) {
  LinkCounts counts;
  for (int page = 0; page < 5; ++page) counts.note_sent(NodeId(1));
  counts.end_epoch(4);
  EXPECT_TRUE(counts.take(NodeId(0)).empty());
}

}  // namespace
}  // namespace weft
