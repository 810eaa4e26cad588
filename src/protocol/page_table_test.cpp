// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/page_table.hpp"

#include <gtest/gtest.h>

namespace weft {
namespace {

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

TEST(PageTable, KnowsInitialHomesWithoutAnEntry) {
  const EngineConfig config = config_of(2, 0);
  PageTable table(config);
  EXPECT_EQ(table.home_of(PageIndex(599)), NodeId(0));
  EXPECT_EQ(table.home_of(PageIndex(600)), NodeId(1));
  EXPECT_EQ(table.find(PageIndex(600)), nullptr);
}

TEST(PageTable, MakesEntriesChunkByChunk) {
  const EngineConfig config = config_of(2, 1);
  PageTable table(config);
  EXPECT_EQ(table.at(PageIndex(599)).state, PageState::kPristine);
  EXPECT_EQ(table.at(PageIndex(999)).state, PageState::kShared);
  EXPECT_EQ(table.at(PageIndex(999)).home, NodeId(1));
  EXPECT_NE(table.find(PageIndex(512)), nullptr);
  EXPECT_EQ(table.find(PageIndex(511)), nullptr);
}

TEST(PageTable, TracksNothingOnASingleNode) {
  const EngineConfig config = config_of(1, 0);
  PageTable table(config);
  EXPECT_EQ(table.at(PageIndex(0)).state, PageState::kExclusive);
}

TEST(PageTableDeathTest, RefusesHomesThatLeavePagesOut) {
  EngineConfig config = config_of(2, 0);
  config.page_count = 1001;
  EXPECT_DEATH(PageTable table(config), "initial homes end at page 1000");
}

}  // namespace
}  // namespace weft
