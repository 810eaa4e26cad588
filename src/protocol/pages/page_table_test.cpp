// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/page_table.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

// Pages from 600 on are homed at the last node.
EngineConfig config_of(std::uint16_t nodes, std::uint16_t self) {
  EngineConfig config;
  config.self = NodeId(self);
  config.node_count = nodes;
  config.page_count = 1000;
  config.initial_homes = {
      {PageRange{PageIndex(0), 600}, NodeId(0)},
      {PageRange{PageIndex(600), 400}, NodeId(static_cast<std::uint16_t>(nodes - 1))}};
  return config;
}

// Node 7 alone writes the pages, and gets them. Returns those of which the table has entries.
PageSet write(PageTable& table, PageRange pages) {
  PageSet visited;
  table.note_written(
      pages,
      [&](Page& page, PageIndex index) {
        visited.insert(index);
        static_cast<HomeFacts&>(page) = {NodeId(7), NodeId(7), page.last_writer};
        page.state = Machine<PageStates>(PageState::kInvalid);
      },
      [](HomeFacts facts) { return HomeFacts{NodeId(7), NodeId(7), facts.last_writer}; });
  return visited;
}

TEST(PageTable, KnowsInitialHomesWithoutAnEntry) {
  const EngineConfig config = config_of(2, 0);
  PageTable table(config);
  EXPECT_EQ(table.home_of(PageIndex(599)), NodeId(0));
  EXPECT_EQ(table.home_of(PageIndex(600)), NodeId(1));
  EXPECT_EQ(table.find(PageIndex(600)), nullptr);
}

TEST(PageTable, MakesEntriesLeafByLeaf) {
  const EngineConfig config = config_of(2, 1);
  PageTable table(config);
  EXPECT_EQ(table.at(PageIndex(599)).state, PageState::kPristine);
  EXPECT_EQ(table.at(PageIndex(999)).state, PageState::kShared);
  EXPECT_EQ(table.at(PageIndex(999)).home, NodeId(1));
  EXPECT_NE(table.find(PageIndex(576)), nullptr);
  EXPECT_EQ(table.find(PageIndex(575)), nullptr);
}

TEST(PageTable, TracksNothingOnASingleNode) {
  const EngineConfig config = config_of(1, 0);
  PageTable table(config);
  EXPECT_EQ(table.at(PageIndex(0)).state, PageState::kExclusive);
}

TEST(PageTable, RemembersHomesOfPagesThatOthersWrite) {
  EngineConfig config = config_of(50, 3);
  PageTable table(config);
  const PageRange pages{PageIndex(590), 30};
  ASSERT_TRUE(table.directory_of(pages.first) != config.self);
  EXPECT_TRUE(write(table, pages).empty());
  EXPECT_EQ(table.find(pages.first), nullptr);
  EXPECT_EQ(table.home_of(pages.first), NodeId(7));
  EXPECT_EQ(table.home_of(PageIndex(589)), NodeId(0));
  EXPECT_EQ(table.invalid_pages(), PageSet{pages});
  const Page& entry = table.at(PageIndex(619));
  EXPECT_EQ(entry.state, PageState::kInvalid);
  EXPECT_EQ(entry, (HomeFacts{NodeId(7), NodeId(7), kNoNode}));
  EXPECT_EQ(table.at(PageIndex(620)).state, PageState::kPristine);
  EXPECT_EQ(table.invalid_pages(), PageSet{pages});
}

TEST(PageTable, TellsWhichPagesMayHaveBeenUsed) {
  EngineConfig config = config_of(50, 3);
  PageTable table(config);
  const PageRange all{PageIndex(0), config.page_count};
  EXPECT_TRUE(table.used_pages(all).empty());
  write(table, {PageIndex(590), 30});
  EXPECT_EQ(table.used_pages(all), (PageSet{{PageIndex(590), 30}}));
  table.at(PageIndex(200)).mapped = true;  // its neighbours in the leaf are pristine
  table.at(PageIndex(600));
  EXPECT_EQ(table.used_pages(all), (PageSet{{PageIndex(200), 1}, {PageIndex(590), 30}}));
  EXPECT_EQ(table.used_pages({PageIndex(600), 5}), (PageSet{{PageIndex(600), 5}}));
}

// What became of a page is in its entry from then on, and in nothing that was noted before.
TEST(PageTable, ForgetsWhatItNotedOfPagesThatGetEntries) {
  EngineConfig config = config_of(50, 3);
  config.remembered_homes = 1;
  PageTable table(config);
  write(table, {PageIndex(590), 5});
  table.at(PageIndex(590)).state = Machine<PageStates>(PageState::kValid);
  EXPECT_EQ(table.invalid_pages(), (PageSet{{PageIndex(591), 4}}));
  write(table, {PageIndex(200), 2});  // there is room for it now
  EXPECT_EQ(table.home_of(PageIndex(201)), NodeId(7));
}

TEST(PageTable, RemembersHomesOfPagesThatAreWrittenAgain) {
  EngineConfig config = config_of(50, 3);
  PageTable table(config);
  write(table, {PageIndex(590), 5});
  const auto visit = [](Page&, PageIndex) { ADD_FAILURE() << "it has no entry"; };
  table.note_written({PageIndex(588), 5}, visit, [](HomeFacts facts) { return facts; });
  EXPECT_EQ(table.home_of(PageIndex(589)), NodeId(0));
  EXPECT_EQ(table.home_of(PageIndex(590)), NodeId(7));
}

TEST(PageTable, LooksAtEachEntryOnce) {
  EngineConfig config = config_of(50, 3);
  config.page_count = 100'000;
  config.initial_homes = {{PageRange{PageIndex(0), config.page_count}, NodeId(0)}};
  PageTable table(config);
  const std::uint64_t branch = 64 << config.leaf_shift;  // pages
  table.at(PageIndex(0));
  table.at(PageIndex(branch));
  PageSet seen;
  std::uint64_t looks = 0;
  table.for_each_entry([&](const Page&, PageIndex page) {
    seen.insert(page);
    ++looks;
  });
  PageSet entries{table.leaf_of(PageIndex(0))};
  entries.insert(table.leaf_of(PageIndex(branch)));
  EXPECT_EQ(seen, entries);
  EXPECT_EQ(looks, entries.page_count());
}

TEST(PageTable, DoesNotKnowHomesWithoutRoomForThem) {
  EngineConfig config = config_of(50, 3);
  config.remembered_homes = 0;
  PageTable table(config);
  write(table, {PageIndex(10), 1});
  EXPECT_EQ(table.home_of(PageIndex(10)), kNoNode);
  EXPECT_EQ(table.state_of(PageIndex(10)), PageState::kInvalid);
  table.at(PageIndex(11));
  EXPECT_EQ(table.home_of(PageIndex(10)), kNoNode);
  table.learn({{{PageIndex(10), 1}, {NodeId(7), NodeId(7), kNoNode}}});
  EXPECT_EQ(table.home_of(PageIndex(10)), NodeId(7));
}

TEST(PageTable, DirectoriesAndHomesKeepEntries) {
  EngineConfig config = config_of(50, 0);
  PageTable home(config);
  EXPECT_EQ(write(home, {PageIndex(10), 1}), PageSet{PageRange(PageIndex(10), 1)});
  config.self = home.directory_of(PageIndex(700));
  PageTable directory(config);
  EXPECT_EQ(write(directory, {PageIndex(700), 2}), PageSet{PageRange(PageIndex(700), 2)});
  const std::vector<HomeRun> homes = directory.homes_in_leaf(PageIndex(700));
  EXPECT_EQ(homes.size(), 3U);
  EXPECT_EQ(homes.at(1), (HomeRun{{PageIndex(700), 2}, {NodeId(7), NodeId(7), kNoNode}}));
}

TEST(PageTableDeathTest, RefusesHomesThatLeavePagesOut) {
  EngineConfig config = config_of(2, 0);
  config.page_count = 1001;
  EXPECT_DEATH(PageTable table(config), "initial homes end at page 1000");
}

TEST(PageTableDeathTest, RefusesToLearnWhatContradictsIt) {
  const EngineConfig config = config_of(2, 0);
  PageTable table(config);
  EXPECT_DEATH(table.learn({{{PageIndex(3), 1}, {NodeId(1), kNoNode, kNoNode}}}),
               "takes node 1 for the home of page 3, and not node 0");
}

}  // namespace
}  // namespace weft
