// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/settled_notices.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

using Nodes = std::vector<NodeId>;

PageSet pages(std::uint64_t first, std::uint64_t count) {
  return {PageRange{PageIndex(first), count}};
}

// A tree of two children each: 0 has 1 and 2, 1 has 3 and 4, 2 has 5 and 6, 3 has 7 and 8.
TEST(SettledNotices, GoTheWayToTheirHolders) {
  const BarrierTree tree(9, 2);
  const std::vector<SettledNotice> settled = {
      {NodeId(0), {NodeId(8), NodeId(5)}, pages(10, 2)},
      {NodeId(6), {NodeId(2)}, pages(20, 1)},
  };
  const std::vector<SettledNotice> left = {{NodeId(0), {NodeId(8)}, pages(10, 2)}};
  const std::vector<SettledNotice> right = {{NodeId(0), {NodeId(5)}, pages(10, 2)},
                                            {NodeId(6), {NodeId(2)}, pages(20, 1)}};
  EXPECT_EQ(for_subtree(settled, NodeId(1), tree), left);
  EXPECT_EQ(for_subtree(settled, NodeId(3), tree), left);
  EXPECT_EQ(for_subtree(settled, NodeId(8), tree), left);
  EXPECT_TRUE(for_subtree(settled, NodeId(4), tree).empty());
  EXPECT_EQ(for_subtree(settled, NodeId(2), tree), right);
}

TEST(SettledNotices, AreToldToAllWhereAnotherWroteToo) {
  std::vector<SettledNotice> settled = {{NodeId(1), {NodeId(2)}, pages(10, 4)},
                                        {NodeId(3), {NodeId(2)}, pages(30, 1)}};
  std::map<NodeId, PageSet> to_all = {{NodeId(2), pages(12, 1)}, {NodeId(4), pages(29, 3)}};
  tell_all_of_disputed(settled, to_all);
  const std::vector<SettledNotice> left = {
      {NodeId(1), {NodeId(2)}, {PageRange{PageIndex(10), 2}, PageRange{PageIndex(13), 1}}}};
  EXPECT_EQ(settled, left);
  const std::map<NodeId, PageSet> told = {{NodeId(1), pages(12, 1)},
                                          {NodeId(2), pages(12, 1)},
                                          {NodeId(3), pages(30, 1)},
                                          {NodeId(4), pages(29, 3)}};
  EXPECT_EQ(to_all, told);
}

TEST(SettledNotices, AreANodesOwnIfItHoldsACopy) {
  const std::vector<SettledNotice> settled = {{NodeId(1), {NodeId(2), NodeId(3)}, pages(10, 4)},
                                              {NodeId(1), {NodeId(4)}, pages(20, 4)}};
  std::vector<Notice> notices = {{NodeId(7), pages(1, 1)}};
  add_own(settled, NodeId(3), notices);
  const std::vector<Notice> expected = {{NodeId(7), pages(1, 1)}, {NodeId(1), pages(10, 4)}};
  EXPECT_EQ(notices, expected);
}

}  // namespace
}  // namespace weft
