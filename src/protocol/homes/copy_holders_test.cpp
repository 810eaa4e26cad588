// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/homes/copy_holders.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"

namespace weft {
namespace {

constexpr NodeId kSelf(0), kFirst(1), kSecond(2);
constexpr PageIndex kPage(1), kNeighbour(2);

EngineConfig config_of() {
  EngineConfig config;
  config.self = kSelf;
  config.node_count = 32;
  config.page_count = 4;
  config.initial_homes = {{{PageIndex(0), 4}, kSelf}};
  return config;
}

using Nodes = std::vector<NodeId>;

struct Holders : testing::Test {
  // The home alone wrote it, twice.
  void be_settled(PageIndex page) {
    Page& entry = table.at(page);
    entry.state = Machine<PageStates>(PageState::kShared);
    entry.home = entry.last_writer = entry.writer_before = kSelf;
  }
  void give_to(PageIndex page, unsigned nodes) {
    for (unsigned number = 1; number <= nodes; ++number) {
      holders.note(page, NodeId(static_cast<std::uint16_t>(number)));
    }
  }
  std::vector<SettledNotice> announce(std::vector<Notice>& notices) {
    return holders.announce(notices);
  }
  std::vector<Notice> notice_of(const PageSet& pages) { return {{kSelf, pages}}; }
  PageSet set(PageIndex page) { return {PageRange{page, 1}}; }

  Surroundings node{config_of()};
  PageTable table{node.context.config};
  CopyHolders holders{node.context, table};
};

TEST_F(Holders, AreToldOfWhatIsSettledAndNobodyElseIs) {
  be_settled(kPage);
  give_to(kPage, 2);
  holders.note(kPage, kFirst);  // again
  std::vector<Notice> notices = notice_of({PageRange{kPage, 2}});
  const std::vector<SettledNotice> settled = announce(notices);
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].holders, (Nodes{kFirst, kSecond}));
  EXPECT_EQ(settled[0].pages, set(kPage));
  ASSERT_EQ(notices.size(), 1U);  // the neighbour's stays
  EXPECT_EQ(notices[0].pages, set(kNeighbour));
}

TEST_F(Holders, OfMoreThanSixteenNodesAreAllNodes) {
  be_settled(kPage);
  give_to(kPage, 16);
  std::vector<Notice> few = notice_of(set(kPage));
  EXPECT_EQ(announce(few).size(), 1U);
  EXPECT_TRUE(holders.outlive_notice(kPage) == false);
  give_to(kPage, 17);
  std::vector<Notice> many = notice_of(set(kPage));
  EXPECT_TRUE(announce(many).empty());
}

// With eager releases.
TEST_F(Holders, AreKnownWhereAllWereTold) {
  EXPECT_EQ(holders.all_of(kPage), nullptr);
  holders.know_all_of(kPage);
  holders.know_all_of(set(kNeighbour));
  ASSERT_NE(holders.all_of(kPage), nullptr);
  ASSERT_NE(holders.all_of(kNeighbour), nullptr);
  EXPECT_TRUE(holders.all_of(kPage)->empty());
  give_to(kPage, 16);
  ASSERT_NE(holders.all_of(kPage), nullptr);
  EXPECT_EQ(holders.all_of(kPage)->size(), 16U);
  give_to(kPage, 17);
  EXPECT_EQ(holders.all_of(kPage), nullptr);
  holders.forget(kPage);
  EXPECT_EQ(holders.all_of(kPage), nullptr);
}

TEST_F(Holders, ThatWereRecalledAreNone) {
  holders.know_all_of(kPage);
  holders.note_recalled(set(kPage), kFirst);
  give_to(kPage, 2);
  holders.note_recalled(set(kPage), kFirst);
  EXPECT_EQ(*holders.all_of(kPage), Nodes{kSecond});
  holders.note_recalled(set(kPage), kSecond);
  EXPECT_TRUE(holders.all_of(kPage)->empty());
  be_settled(kPage);
  std::vector<Notice> notices = notice_of(set(kPage));
  EXPECT_TRUE(announce(notices).empty());  // as of a page that nobody ever had
  EXPECT_FALSE(holders.outlive_notice(kPage));
}

TEST_F(Holders, OfTooManyAreNotTakenOutOneByOne) {
  be_settled(kPage);
  give_to(kPage, 17);
  holders.note_recalled(set(kPage), kFirst);  // others were not noted
  std::vector<Notice> notices = notice_of(set(kPage));
  EXPECT_TRUE(announce(notices).empty());
  holders.reset(kNeighbour, kFirst);
  be_settled(kNeighbour);
  give_to(kNeighbour, 16);
  holders.note_recalled(set(kNeighbour), kFirst);
  std::vector<Notice> others = notice_of(set(kNeighbour));
  const std::vector<SettledNotice> settled = announce(others);
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].holders.size(), 15U);
}

TEST_F(Holders, MayBeOneAlone) {
  be_settled(kPage);
  give_to(kPage, 3);
  holders.reset(kPage, kSecond);
  std::vector<Notice> notices = notice_of(set(kPage));
  const std::vector<SettledNotice> settled = announce(notices);
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].holders, Nodes{kSecond});
}

// A page that nobody is known to have is told to all; one that is to be given away again, to none.
TEST_F(Holders, AreExpectedAgain) {
  be_settled(kPage);
  std::vector<Notice> unknown = notice_of(set(kPage));
  EXPECT_TRUE(announce(unknown).empty());
  give_to(kPage, 1);
  holders.expect_some(kPage);
  std::vector<Notice> expected = notice_of(set(kPage));
  const std::vector<SettledNotice> settled = announce(expected);
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_TRUE(settled[0].holders.empty());
  holders.forget(kPage);
  std::vector<Notice> forgotten = notice_of(set(kPage));
  EXPECT_TRUE(announce(forgotten).empty());
}

// One that was given a copy after the announcement has what is new.
TEST_F(Holders, SinceTheAnnouncementOutliveTheNotice) {
  be_settled(kPage);
  give_to(kPage, 1);
  std::vector<Notice> notices = notice_of(set(kPage));
  (void)announce(notices);
  holders.note(kPage, kSecond);
  EXPECT_EQ(holders.settle({}), set(kPage));
  EXPECT_TRUE(holders.settle({}).empty());
  EXPECT_TRUE(holders.outlive_notice(kPage));
  std::vector<Notice> again = notice_of(set(kPage));
  const std::vector<SettledNotice> settled = announce(again);
  ASSERT_EQ(settled.size(), 1U);
  EXPECT_EQ(settled[0].holders, Nodes{kSecond});
}

// Another wrote it, too: the notice goes to all, and takes away all copies.
TEST_F(Holders, OfADisputedPageAreAllTold) {
  be_settled(kPage);
  give_to(kPage, 1);
  std::vector<Notice> notices = notice_of(set(kPage));
  (void)announce(notices);
  holders.note(kPage, kSecond);
  EXPECT_TRUE(holders.settle({{kSecond, set(kPage)}}).empty());
  EXPECT_FALSE(holders.outlive_notice(kPage));
  std::vector<Notice> again = notice_of(set(kPage));
  EXPECT_TRUE(announce(again).empty());
}

TEST_F(Holders, GivenACopyOfAPageThatWasAloneBeginItsAge) {
  node.context.epoch = Epoch(5);
  holders.note(kPage, kFirst);
  EXPECT_EQ(table.at(kPage).stale_since, Epoch(5));
  node.context.epoch = Epoch(6);
  holders.note(kPage, kSecond);
  EXPECT_EQ(table.at(kPage).stale_since, Epoch(5));
}

}  // namespace
}  // namespace weft
