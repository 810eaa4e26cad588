// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/tree_shaper.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr std::uint32_t kBarriers = 8;

NodeId node(unsigned number) { return NodeId(static_cast<std::uint16_t>(number)); }

std::vector<NodeId> parents(std::initializer_list<unsigned> numbers) {
  std::vector<NodeId> nodes;
  for (const unsigned number : numbers) nodes.push_back(node(number));
  return nodes;
}

TEST(BarrierTree, BeginsFlat) {
  const BarrierTree tree(8, 2);
  EXPECT_EQ(tree.parents(), parents({0, 0, 1, 1, 2, 2, 3}));
  EXPECT_EQ(tree.children(node(1)), parents({3, 4}));
  EXPECT_TRUE(tree.children(node(7)).empty());
  EXPECT_TRUE(tree.is_below(node(7), node(1)));
  EXPECT_TRUE(tree.is_below(node(7), node(7)));
  EXPECT_FALSE(tree.is_below(node(1), node(7)));
  EXPECT_FALSE(tree.is_below(node(7), node(2)));
  EXPECT_EQ(tree.depth(node(0)), 0U);
  EXPECT_EQ(tree.depth(node(7)), 3U);
  EXPECT_TRUE(tree.joins(node(3), node(7)));
  EXPECT_TRUE(tree.joins(node(7), node(3)));
  EXPECT_FALSE(tree.joins(node(7), node(1)));
}

TEST(TreeShaper, PutsNeighboursBesideEachOther) {
  const BarrierTree flat(5, 4);
  TreeShaper shaper(5, 4, kBarriers);
  for (unsigned left = 0; left < 4; ++left) {
    shaper.count({{node(left), node(left + 1), 8}, {node(left + 1), node(left), 8}});
  }
  const std::optional<BarrierTree> chosen = shaper.choose(flat, flat);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->parents(), parents({0, 1, 2, 3}));
  // It is as good as it gets.
  for (unsigned left = 0; left < 4; ++left) shaper.count({{node(left), node(left + 1), 16}});
  EXPECT_FALSE(shaper.choose(*chosen, flat));
}

TEST(TreeShaper, GivesNobodyMoreChildrenThanItMayHave) {
  const BarrierTree line({node(0), node(1), node(2)});
  TreeShaper shaper(4, 2, kBarriers);
  shaper.count({{node(0), node(1), 30}, {node(0), node(2), 20}, {node(0), node(3), 10}});
  const std::optional<BarrierTree> chosen = shaper.choose(line, line);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->parents(), parents({0, 0, 1}));
}

TEST(TreeShaper, StaysFlatWhereAllTalkToAll) {
  const BarrierTree flat(8, 7);
  TreeShaper shaper(8, 7, kBarriers);
  for (unsigned from = 0; from < 8; ++from) {
    for (unsigned to = 0; to < 8; ++to) {
      if (from != to) shaper.count({{node(from), node(to), 8}});
    }
  }
  EXPECT_FALSE(shaper.choose(flat, flat));
}

// As in conjugate gradients: nodes side by side write pages together, and all read what all write.
TEST(TreeShaper, StaysFlatWhereNeighboursOnlyShareBesides) {
  const BarrierTree flat(4, 3), line(parents({0, 1, 2}));
  TreeShaper shaper(4, 3, kBarriers);
  const auto count = [&shaper] {
    for (unsigned from = 0; from < 4; ++from) {
      for (unsigned to = 0; to < 4; ++to) {
        const unsigned distance = from < to ? to - from : from - to;
        if (distance == 0) continue;
        shaper.count(
            {{.from = node(from), .to = node(to), .sent = 8, .shared = distance == 1 ? 16U : 0U}});
      }
    }
  };
  count();
  EXPECT_FALSE(shaper.choose(flat, flat));
  count();
  const std::optional<BarrierTree> chosen = shaper.choose(line, flat);  // the second time in a row
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->parents(), flat.parents());
}

// As in multigrid, where the barriers of the coarsest grids, with little to send, come together.
TEST(TreeShaper, DoesNotGoBackForOneTimeInWhichAllTreesAreAlike) {
  const BarrierTree flat(4, 3), line(parents({0, 1, 2}));
  TreeShaper shaper(4, 3, kBarriers);
  for (int turn = 0; turn < 3; ++turn) {
    shaper.count({{node(1), node(2), 10}, {node(2), node(3), 10}});
    EXPECT_FALSE(shaper.choose(line, flat));
    EXPECT_FALSE(shaper.choose(line, flat)) << "without any traffic";
  }
  EXPECT_TRUE(shaper.choose(line, flat)) << "twice in a row";
}

TEST(TreeShaper, ChangesNothingForLessThanAMessageABarrier) {
  const BarrierTree flat(4, 3);
  TreeShaper shaper(4, 3, kBarriers);
  shaper.count({{node(1), node(2), kBarriers - 1}});
  EXPECT_FALSE(shaper.choose(flat, flat));
  // What was counted before does not count again.
  shaper.count({{node(1), node(2), 1}});
  EXPECT_FALSE(shaper.choose(flat, flat));
}

TEST(TreeShaper, GoesBackForLongContributions) {
  const BarrierTree flat(3, 2), line(parents({0, 1}));
  TreeShaper shaper(3, 2, kBarriers);
  shaper.count({{node(1), node(2), 100}});
  shaper.note_long_contributions();
  const std::optional<BarrierTree> chosen = shaper.choose(line, flat);
  ASSERT_TRUE(chosen);
  EXPECT_EQ(chosen->parents(), flat.parents());
}

}  // namespace
}  // namespace weft
