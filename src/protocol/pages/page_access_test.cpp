// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/pages/page_access.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"

namespace weft {
namespace {

PageSet pages(std::uint64_t first, std::uint64_t count) {
  return {PageRange{PageIndex(first), count}};
}
PageRange range(std::uint64_t first, std::uint64_t count) { return {PageIndex(first), count}; }

// All pages that are looked at have been written. A page's twin holds twos.
struct WrittenMemory : ArrayMemory {
  void collect_written(PageRange stretch, PageSet& written) override { written.insert(stretch); }
  [[nodiscard]] ByteView twin(PageIndex) const override { return twin_; }
  Bytes twin_ = Bytes(kPageBytes, std::byte{2});
};

// Of node 1. Pages are homed at node 0, and from 100 on here.
struct PageAccessTest : testing::Test {
  static EngineConfig config_of() {
    EngineConfig config;
    config.self = NodeId(1);
    config.node_count = 2;
    config.page_count = 200;
    config.initial_homes = {{range(0, 100), NodeId(0)}, {range(100, 100), NodeId(1)}};
    return config;
  }

  const EngineConfig config = config_of();
  PageTable table{config};
  WrittenMemory memory;
  MergedAtomics merged;
  OpenPages open{ExposedMemory::nobody()};
  PageAccess access{table, memory, merged, open};
};

TEST_F(PageAccessTest, LooksForWritesWhereItTracksThem) {
  access.map_tracked(range(3, 4), Twin::kPresent);
  EXPECT_EQ(access.collect_written(), pages(3, 4));
  access.unmap(range(3, 1));
  EXPECT_EQ(access.collect_written(), pages(4, 3));
  access.map_untracked(range(6, 1));
  EXPECT_EQ(access.collect_written(), pages(4, 2));
  EXPECT_FALSE(table.at(PageIndex(3)).mapped);
  EXPECT_TRUE(table.at(PageIndex(6)).mapped);
}

TEST_F(PageAccessTest, SetsPagesAsideUntilTheyAreMappedOrDropped) {
  access.map_tracked(range(3, 4), Twin::kPresent);
  access.set_aside(range(3, 4));
  EXPECT_EQ(access.set_aside_around(PageIndex(15)), pages(3, 4));
  EXPECT_TRUE(access.set_aside_around(PageIndex(16)).empty());
  access.map_tracked(range(3, 1), Twin::kPresent);
  EXPECT_EQ(access.set_aside_around(PageIndex(0)), pages(4, 3));
  access.drop(range(6, 1));
  EXPECT_EQ(access.set_aside_around(PageIndex(0)), pages(4, 2));
}

// What is in a copy now may still be undone; what is at home stays.
TEST_F(PageAccessTest, ShowsTheTwinOfACopyAndTheContentsOfAHomesPage) {
  const PageIndex copy(5), own(105);
  access.map_tracked(range(5, 1), Twin::kPresent);
  table.at(copy).state = Machine<PageStates>(PageState::kValid);
  access.map_tracked(range(105, 1), Twin::kNone);
  EXPECT_EQ(access.shown_contents(copy)[0], std::byte{2});
  EXPECT_EQ(access.shown_contents(own)[0], std::byte{0});
  access.want_home_twins(pages(106, 1));
  access.map_tracked(range(106, 1), Twin::kNone);
  EXPECT_EQ(access.shown_contents(PageIndex(106))[0], std::byte{2});
  access.forget_home_twin(PageIndex(106));
  EXPECT_EQ(access.shown_contents(PageIndex(106))[0], std::byte{0});
}

}  // namespace
}  // namespace weft
