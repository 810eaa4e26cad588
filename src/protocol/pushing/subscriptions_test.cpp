// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pushing/subscriptions.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

constexpr NodeId kHome(1), kOther(2);
constexpr PhaseKey kSolve(10), kReport(11);
constexpr PageIndex kPage(5);

struct Consumer : Subscriptions {
  Beginnings beginnings;
  Consumer() : Subscriptions(beginnings) {}

  // What is expected as the phase begins.
  PageSet begin(PhaseKey phase) {
    PageSet due = take_due(phase);
    beginnings.count(phase);
    return due;
  }
};

TEST(Subscriptions, BringLostPagesBack) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {});
  EXPECT_TRUE(subscriptions.begin(kSolve).empty());
  subscriptions.page_lost(kPage, kHome, false);
  EXPECT_TRUE(subscriptions.begin(kReport).empty());
  EXPECT_TRUE(subscriptions.begin(kSolve).contains(kPage));
  EXPECT_TRUE(subscriptions.begin(kSolve).empty());
}

TEST(Subscriptions, EndWhereTheHomeSaysSo) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {});
  subscriptions.page_lost(kPage, kHome, false);
  subscriptions.end(kPage, kSolve, kOther);  // says nothing of this one
  EXPECT_TRUE(subscriptions.begin(kSolve).contains(kPage));
  subscriptions.page_lost(kPage, kHome, false);
  subscriptions.end(kPage, kSolve, kHome);
  EXPECT_TRUE(subscriptions.begin(kSolve).empty());
}

TEST(Subscriptions, SleepWhileThePageIsElsewhere) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {});
  subscriptions.page_lost(kPage, kOther, true);
  EXPECT_TRUE(subscriptions.begin(kSolve).empty());
  subscriptions.add(kPage, kSolve, kOther, {});  // beside it, the other home's
  subscriptions.page_lost(kPage, kHome, true);
  EXPECT_TRUE(subscriptions.begin(kSolve).contains(kPage));
  subscriptions.end(kPage, kSolve, kHome);
  subscriptions.page_lost(kPage, kOther, true);
  EXPECT_TRUE(subscriptions.begin(kSolve).contains(kPage));
}

TEST(Subscriptions, EndWhereThePageGoesOnAndOn) {
  Consumer subscriptions;
  for (const int moves : {4, 5}) {
    subscriptions.add(kPage, kSolve, kHome, {});
    for (int move = 0; move < moves; ++move) subscriptions.page_lost(kPage, NodeId(2 + move), true);
    subscriptions.page_lost(kPage, kHome, true);
    EXPECT_EQ(subscriptions.begin(kSolve).empty(), moves == 5);
  }
}

TEST(Subscriptions, HoldBackEverFewerPushes) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {});
  std::vector<int> held;
  for (int push = 1; push <= 200; ++push) {
    if (!subscriptions.hold_back(kPage, kSolve, true)) continue;
    held.push_back(push);
    EXPECT_TRUE(subscriptions.note_used(kPage));
  }
  EXPECT_EQ(held, (std::vector<int>{1, 4, 16, 64, 128, 192}));
}

TEST(Subscriptions, TellWhatWasPushedInVain) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {});
  EXPECT_TRUE(subscriptions.hold_back(kPage, kSolve, true));
  EXPECT_EQ(subscriptions.take_unused(kPage), kSolve);
  EXPECT_EQ(subscriptions.take_unused(kPage), std::nullopt);
  EXPECT_FALSE(subscriptions.note_used(kPage));
}

TEST(Subscriptions, DoubtWhatWasInVainOnce) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {});
  EXPECT_TRUE(subscriptions.hold_back(kPage, kSolve, true));
  EXPECT_EQ(subscriptions.take_unused(kPage), kSolve);
  EXPECT_FALSE(subscriptions.doubt(kPage, kSolve));
  EXPECT_FALSE(subscriptions.doubt(kPage, kReport));  // nothing is known of that one
  // The second push is held back, though it is no sample, and used.
  EXPECT_TRUE(subscriptions.hold_back(kPage, kSolve, true));
  EXPECT_TRUE(subscriptions.note_used(kPage));
  EXPECT_FALSE(subscriptions.hold_back(kPage, kSolve, true));
  // In vain twice in a row, the fourth time and the fifth.
  for (const bool in_vain_before : {false, true}) {
    EXPECT_TRUE(subscriptions.hold_back(kPage, kSolve, true));
    EXPECT_EQ(subscriptions.take_unused(kPage), kSolve);
    EXPECT_EQ(subscriptions.doubt(kPage, kSolve), in_vain_before);
  }
}

TEST(Subscriptions, ShowMoreOfUseOncePagesWereSeenToBeUsed) {
  Consumer subscriptions;
  constexpr std::uint64_t kPages = 20;
  const auto faults_of_sample = [&](int pushes) {
    int faults = 0;
    for (std::uint64_t page = 0; page < kPages; ++page) {
      for (int left = pushes; left > 0; --left) {
        const bool holds = subscriptions.hold_back(PageIndex(page), kSolve, true);
        EXPECT_EQ(holds, left == 1);
      }
    }
    for (std::uint64_t page = 0; page < kPages; ++page) {
      const PageSet shown = subscriptions.shown_by(PageIndex(page));
      if (shown.empty()) continue;
      ++faults;
      for (const PageRange& range : shown.ranges()) {
        for (PageIndex each = range.first; each < range.end(); ++each) {
          EXPECT_TRUE(subscriptions.note_used(each));
        }
      }
    }
    return faults;
  };
  for (std::uint64_t page = 0; page < kPages; ++page) {
    subscriptions.add(PageIndex(page), kSolve, kHome, {});
  }
  EXPECT_EQ(faults_of_sample(1), 20);
  EXPECT_EQ(faults_of_sample(3), 2);  // in two blocks
}

TEST(Subscriptions, DoubtPagesOneByOne) {
  Consumer subscriptions;
  const PageIndex other = kPage.plus(1);
  for (const PageIndex page : {kPage, other}) {
    subscriptions.add(page, kSolve, kHome, {});
    EXPECT_TRUE(subscriptions.hold_back(page, kSolve, true));
  }
  EXPECT_TRUE(subscriptions.note_used(kPage));
  EXPECT_EQ(subscriptions.take_unused(other), kSolve);
  EXPECT_FALSE(subscriptions.doubt(other, kSolve));
  EXPECT_TRUE(subscriptions.hold_back(other, kSolve, true));
  for (int push = 2; push <= 4; ++push) (void)subscriptions.hold_back(kPage, kSolve, true);
  EXPECT_FALSE(subscriptions.shown_by(kPage).contains(other));
}

TEST(Subscriptions, ExpectPagesInTheirRhythm) {
  Consumer subscriptions;
  subscriptions.add(kPage, kSolve, kHome, {4, 3});
  subscriptions.page_lost(kPage, kHome, false);
  std::vector<int> brought;
  for (int beginning = 1; beginning <= 16; ++beginning) {
    if (!subscriptions.begin(kSolve).contains(kPage)) continue;
    brought.push_back(beginning);
    if (beginning < 10) subscriptions.page_lost(kPage, kHome, false);
  }
  EXPECT_EQ(brought, (std::vector<int>{3, 7, 11}));
}

}  // namespace
}  // namespace weft
