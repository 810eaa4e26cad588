// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/push_table.hpp"

#include <gtest/gtest.h>

#include "protocol/pages/page_table.hpp"

namespace weft {
namespace {

constexpr NodeId kOne(1), kTwo(2);
constexpr PhaseKey kSolve(10), kReport(11);
constexpr PageIndex kPage(5);

using Pages = std::vector<PageIndex>;

// A table, and the beginnings of phases that go with it.
struct Home : PushTable {
  Beginnings beginnings;
  Home() : PushTable(beginnings, 2) {}

  // What is due as the phase begins.
  std::map<NodeId, Due> begin(PhaseKey phase) {
    auto due = take_due(phase);
    beginnings.count(phase);
    return due;
  }
};

TEST(PushTable, PushesWhatWasWrittenSinceItWasSent) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  EXPECT_TRUE(table.begin(kSolve).empty());
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.is_due(kPage, kSolve));
  EXPECT_EQ(table.begin(kSolve).at(kOne).pages, Pages{kPage});
  EXPECT_TRUE(table.begin(kSolve).empty());
}

TEST(PushTable, PushesInTheIntervalThatItWasAskedForIn) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kReport, kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_FALSE(table.is_due(kPage, kSolve));
  EXPECT_TRUE(table.begin(kSolve).empty());
  EXPECT_EQ(table.begin(kReport).at(kOne).pages, Pages{kPage});
}

TEST(PushTable, NamesNoMorePagesThanWanted) {
  Home table;
  for (const PageIndex page : {PageIndex(1), PageIndex(2), PageIndex(3)}) {
    EXPECT_TRUE(table.subscribe(kOne, kSolve, page));
    table.page_written(page, kNoNode);
  }
  EXPECT_EQ(table.due_since(kOne, kSolve, {}, 2), (Pages{PageIndex(1), PageIndex(2)}));
  EXPECT_EQ(table.due_since(kOne, kSolve, {}, 9).size(), 3U);
}

// All that want the page, or those of them that have no copy.
TEST(PushTable, TellsWhoWantsAPage) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  EXPECT_TRUE(table.subscribe(kTwo, kSolve, kPage));
  table.page_written(kPage, kOne);
  EXPECT_EQ(table.wanting(kOne, kSolve, kPage, false), (std::vector<NodeId>{kOne, kTwo}));
  EXPECT_EQ(table.wanting(kOne, kSolve, kPage, true), std::vector<NodeId>{kTwo});
}

TEST(PushTable, LeavesOutWhoHasACopy) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  EXPECT_TRUE(table.subscribe(kTwo, kSolve, kPage));
  table.page_written(kPage, kOne);  // which keeps its copy
  EXPECT_TRUE(table.subscribe(kTwo, kReport, kPage));
  EXPECT_TRUE(table.begin(kSolve).empty());
}

TEST(PushTable, CountsTheWritesSinceAPageWasGivenAway) {
  Home table;
  EXPECT_FALSE(table.writes_since_given(kPage));
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  EXPECT_EQ(table.writes_since_given(kPage), 0U);
  table.page_written(kPage, kNoNode);
  table.page_written(kPage, kNoNode);
  EXPECT_EQ(table.writes_since_given(kPage), 2U);
  (void)table.begin(kSolve);
  EXPECT_EQ(table.writes_since_given(kPage), 0U);
  table.unsubscribe(kOne, kSolve, kPage);
  EXPECT_FALSE(table.writes_since_given(kPage));
}

TEST(PushTable, SaysWhatItCeasesToPush) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.unsubscribe(kOne, kSolve, kPage);
  table.page_written(kPage, kNoNode);
  EXPECT_FALSE(table.is_due(kPage, kSolve));
  const auto due = table.begin(kSolve);
  EXPECT_TRUE(due.at(kOne).pages.empty());
  EXPECT_TRUE(due.at(kOne).ended.contains(kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.begin(kSolve).empty());
}

// The consumer may still get what it has been sent, and would take it for a new beginning.
TEST(PushTable, SaysThatOnlyWhereNothingIsOnItsWay) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.unsubscribe(kOne, kSolve, kPage);
  EXPECT_TRUE(table.take_due_of(kOne, kSolve, {}, 9).ended.empty());
  EXPECT_TRUE(table.begin(kSolve).empty());
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.begin(kSolve).at(kOne).ended.contains(kPage));
}

TEST(PushTable, SaysThatNotOfWhatWentWithABarrier) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_written(kPage, kNoNode);
  table.unsubscribe(kOne, kSolve, kPage);
  table.note_sent(kOne, kPage);
  EXPECT_TRUE(table.begin(kSolve).empty());
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.begin(kSolve).at(kOne).ended.contains(kPage));
}

TEST(PushTable, AskingAgainTakesAnEndBack) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.unsubscribe(kOne, kSolve, kPage);
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_written(kPage, kNoNode);
  EXPECT_EQ(table.begin(kSolve).at(kOne).pages, Pages{kPage});
}

TEST(PushTable, KeepsSubscriptionsOfPagesThatComeBack) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_written(kPage, kNoNode);
  table.page_moved(kPage);
  EXPECT_FALSE(table.is_due(kPage, kSolve));
  EXPECT_FALSE(table.wants(kOne, kSolve, kPage));
  EXPECT_TRUE(table.begin(kSolve).empty());
  table.page_written(kPage, kNoNode);  // by this node alone, so it is the home again
  EXPECT_EQ(table.begin(kSolve).at(kOne).pages, Pages{kPage});
}

TEST(PushTable, ForgetsPagesThatGoOnAndOn) {
  Home table;
  for (const int moves : {4, 5}) {
    EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
    for (int move = 0; move < moves; ++move) table.page_moved(kPage);
    table.page_written(kPage, kNoNode);
    EXPECT_EQ(table.begin(kSolve).size(), moves == 4 ? 1U : 0U);
  }
}

TEST(PushTable, ForgetsPagesThatAreTakenOver) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.page_taken_over(kPage);
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.begin(kSolve).empty());
}

// What was promised before the page left is known by now.
TEST(PushTable, TellsOfTheEndWhenAPageIsBack) {
  Home table;
  EXPECT_TRUE(table.subscribe(kOne, kSolve, kPage));
  table.unsubscribe(kOne, kSolve, kPage);
  table.page_moved(kPage);
  table.page_written(kPage, kNoNode);
  EXPECT_TRUE(table.begin(kSolve).at(kOne).ended.contains(kPage));
}

TEST(PushTable, IsReluctantAfterASubscriptionThatWasEnded) {
  Home table;
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
    EXPECT_TRUE(table.begin(kSolve)[consumer].ended.contains(page));
  };
  for (const int requests : {1, 4, 16, 64, 64}) {
    EXPECT_EQ(requests_until_subscribed(), requests);
    end();
  }
  // Other nodes, and the same one elsewhere, are not concerned.
  EXPECT_TRUE(table.subscribe(NodeId(2), kSolve, page));
  EXPECT_TRUE(table.subscribe(consumer, PhaseKey(77), page));
}

// A page that is written at the first of every 16 beginnings, and asked for at another: what LU's
// blocks look like to their homes, as they do not see what they write while nobody has a copy.
struct Cycles {
  Home home;
  std::uint32_t pushes = 0, requests = 0, in_vain = 0;

  // The consumer has the page from a push or asks for it; a page that it has before it needs it
  // will be written again, so it is struck off the list the second time.
  void run(std::uint32_t cycles, std::uint32_t needed_at) {
    for (std::uint32_t at = 0; at < 16 * cycles; ++at) {
      if (at % 16 == 0) home.page_written(kPage, kNoNode);
      const auto due = home.begin(kSolve);
      const bool comes = due.contains(kOne) && !due.at(kOne).pages.empty();
      pushes += comes ? 1 : 0;
      if (comes && at % 16 != needed_at) {
        if (++in_vain % 2 == 0) home.unsubscribe(kOne, kSolve, kPage);
        home.page_written(kPage, kNoNode);
      }
      if (at % 16 != needed_at || comes) continue;
      ++requests;
      (void)home.subscribe(kOne, kSolve, kPage);
    }
  }
};

TEST(PushTable, FindsTheRhythmOfAPageThatIsFinishedInSteps) {
  Cycles cycles;
  cycles.run(6, 11);
  EXPECT_EQ(cycles.in_vain, 2U);
  EXPECT_LE(cycles.requests, 5U);
  const std::uint32_t learnt = cycles.requests, pushed = cycles.pushes;
  cycles.run(40, 11);
  EXPECT_EQ(cycles.requests, learnt);
  EXPECT_EQ(cycles.pushes, pushed + 40);
  EXPECT_EQ(cycles.in_vain, 2U);
}

TEST(PushTable, GivesUpARhythmThatBreaks) {
  Cycles cycles;
  cycles.run(8, 11);
  const std::uint32_t before = cycles.in_vain;
  cycles.run(100, 5);  // earlier: it is there when it is due
  EXPECT_LE(cycles.in_vain, before + 4);
  const std::uint32_t requests = cycles.requests;
  cycles.run(20, 5);
  EXPECT_EQ(cycles.requests, requests) << "the new rhythm is found";
}

}  // namespace
}  // namespace weft
