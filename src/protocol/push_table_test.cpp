// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/push_table.hpp"

#include <gtest/gtest.h>

#include "protocol/page_table.hpp"

namespace weft {
namespace {

constexpr NodeId kOne(1), kTwo(2);
constexpr IntervalKey kSolve(10), kReport(11);
constexpr PageIndex kPage(5);

using Pages = std::vector<PageIndex>;

TEST(PushTable, PushesWhatWasWrittenSinceItWasSent) {
  PushTable table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  EXPECT_TRUE(table.take_due(kSolve).empty());
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.is_due(kPage, kSolve));
  EXPECT_EQ(table.take_due(kSolve).at(kOne).pages, Pages{kPage});
  EXPECT_TRUE(table.take_due(kSolve).empty());
}

TEST(PushTable, PushesInTheIntervalThatItWasAskedForIn) {
  PushTable table;
  EXPECT_TRUE(table.subscribe(kOne, kReport, kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_FALSE(table.is_due(kPage, kSolve));
  EXPECT_TRUE(table.take_due(kSolve).empty());
  EXPECT_EQ(table.take_due(kReport).at(kOne).pages, Pages{kPage});
}

TEST(PushTable, LeavesOutWhoHasACopy) {
  PushTable table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  EXPECT_TRUE(table.subscribe(kTwo, kSolve, kPage));
  table.page_written(kPage, kOne);  // which keeps its copy
  EXPECT_TRUE(table.subscribe(kTwo, kReport, kPage));
  EXPECT_TRUE(table.take_due(kSolve).empty());
}

TEST(PushTable, SaysWhatItCeasesToPush) {
  PushTable table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.unsubscribe(kOne, kSolve, kPage);
  table.page_written(kPage, kNoNode);
  EXPECT_FALSE(table.is_due(kPage, kSolve));
  const auto due = table.take_due(kSolve);
  EXPECT_TRUE(due.at(kOne).pages.empty());
  EXPECT_TRUE(due.at(kOne).ended.contains(kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.take_due(kSolve).empty());
}

TEST(PushTable, AskingAgainTakesAnEndBack) {
  PushTable table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.unsubscribe(kOne, kSolve, kPage);
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_EQ(table.take_due(kSolve).at(kOne).pages, Pages{kPage});
}

TEST(PushTable, ForgetsPagesThatLeave) {
  PushTable table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_written(kPage, kNoNode);
  table.page_left(kPage);
  EXPECT_TRUE(table.take_due(kSolve).empty());
}

TEST(PushTable, IsReluctantAfterASubscriptionThatWasEnded) {
  PushTable table;
  const NodeId consumer(1);
  const PageIndex page(3);
  const auto requests_until_subscribed = [&] {
    int requests = 1;
    while (!table.subscribe(consumer, kSolve, page)) ++requests;
    return requests;
  };
  const auto end = [&] {
    table.unsubscribe(consumer, kSolve, page);
    table.page_written(page, kNoNode);
    EXPECT_TRUE(table.take_due(kSolve)[consumer].ended.contains(page));
  };
  for (const int requests : {1, 4, 16, 64, 64}) {
    EXPECT_EQ(requests_until_subscribed(), requests);
    end();
  }
  // Other nodes, and the same one elsewhere, are not concerned.
  EXPECT_TRUE(table.subscribe(NodeId(2), kSolve, page));
  EXPECT_TRUE(table.subscribe(consumer, IntervalKey(77), page));
}

}  // namespace
}  // namespace weft
