// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/home_choice.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

// The homes after epochs in which the given nodes, each alone, wrote a page of node 9's.
std::vector<int> homes_after(const std::vector<int>& writers, HomePolicy policy,
                             bool replaced = false) {
  HomeFacts page;
  page.home = NodeId(9);
  std::vector<int> homes;
  for (const int writer : writers) {
    std::vector<NodeId> nodes;
    if (writer >= 0) nodes = {NodeId(static_cast<std::uint16_t>(writer))};
    if (writer < 0) nodes = {NodeId(1), NodeId(2)};
    page.home = choose_home(page, nodes, replaced, policy);
    note_writers(page, nodes);
    homes.push_back(page.home.value());
  }
  return homes;
}

constexpr int kSeveral = -1;
using Homes = std::vector<int>;

TEST(HomeChoice, GoesToTheFirstWriter) {
  for (const HomePolicy policy : {HomePolicy::kSettle, HomePolicy::kFollow, HomePolicy::kStay}) {
    EXPECT_EQ(homes_after({3}, policy), (Homes{3}));
  }
}

TEST(HomeChoice, StaysWhereTwoNodesTakeTurns) {
  EXPECT_EQ(homes_after({1, 2, 1, 2, 1, 2}, HomePolicy::kSettle), (Homes{1, 1, 1, 1, 1, 1}));
  EXPECT_EQ(homes_after({1, 2, 1, 2}, HomePolicy::kFollow), (Homes{1, 2, 1, 2}));
}

TEST(HomeChoice, FollowsWhoReplacesThePage) {
  EXPECT_EQ(homes_after({1, 2, 1, 2}, HomePolicy::kSettle, true), (Homes{1, 2, 1, 2}));
  EXPECT_EQ(homes_after({1, 2, 1, 2}, HomePolicy::kStay, true), (Homes{1, 1, 1, 1}));
  EXPECT_EQ(homes_after({1, kSeveral, kSeveral}, HomePolicy::kSettle, true), (Homes{1, 1, 1}));
}

TEST(HomeChoice, FollowsAWriterThatStays) {
  EXPECT_EQ(homes_after({1, 1, 1, 2, 2, 2}, HomePolicy::kSettle), (Homes{1, 1, 1, 1, 2, 2}));
  EXPECT_EQ(homes_after({1, 1, 2, 2}, HomePolicy::kStay), (Homes{1, 1, 1, 1}));
}

TEST(HomeChoice, FollowsAPageThatGoesRound) {
  EXPECT_EQ(homes_after({1, 2, 3, 4, 1, 2, 3, 4}, HomePolicy::kSettle),
            (Homes{1, 1, 3, 4, 1, 2, 3, 4}));
}

TEST(HomeChoice, StaysWhereSeveralWrite) {
  EXPECT_EQ(homes_after({3, kSeveral, kSeveral}, HomePolicy::kSettle), (Homes{3, 3, 3}));
  EXPECT_EQ(homes_after({3, kSeveral, 2}, HomePolicy::kSettle), (Homes{3, 3, 2}));
}

}  // namespace
}  // namespace weft
