// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/tree/home_offers.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/numbers/random.hpp"
#include "protocol/context/test_surroundings.hpp"

namespace weft {
namespace {

PageSet pages(std::uint64_t first, std::uint64_t count) {
  return {PageRange{PageIndex(first), count}};
}

TEST(HomeOffers, AreAcceptedWhereNobodyWrote) {
  const std::vector<Notice> offers = {{NodeId(1), pages(10, 5)}, {NodeId(2), pages(20, 2)}};
  const std::vector<Notice> notices = {{NodeId(3), pages(11, 1)}, {NodeId(0), pages(20, 9)}};
  const std::vector<SettledNotice> settled = {{NodeId(3), {NodeId(1)}, pages(14, 3)}};
  const std::vector<Notice> accepted = {
      {NodeId(1), {PageRange{PageIndex(10), 1}, PageRange{PageIndex(12), 2}}}};
  EXPECT_EQ(accepted_offers(offers, notices, settled), accepted);
  EXPECT_EQ(accepted_offers(offers, {}, {}), offers);
}

TEST(HomeOffers, TheBestHomeIsTheParentOfTheOthers) {
  const std::vector<NodeId> writers = {NodeId(2), NodeId(3)};
  const BarrierTree line({NodeId(0), NodeId(1), NodeId(2)});
  EXPECT_EQ(messages_beside(line, NodeId(2), writers), 0U);
  EXPECT_EQ(messages_beside(line, NodeId(3), writers), 1U);
  EXPECT_EQ(messages_beside(line, NodeId(1), writers), 2U);
  EXPECT_EQ(messages_beside(line, NodeId(0), writers), 4U);
  const BarrierTree flat(4, 3);
  EXPECT_EQ(messages_beside(flat, NodeId(0), writers), 0U);
  EXPECT_EQ(messages_beside(flat, NodeId(2), writers), 2U);
  EXPECT_EQ(messages_beside(flat, NodeId(0), {NodeId(0), NodeId(3)}), 0U);
}

TEST(HomeOffers, TheBestHomeIsTheOneThatCostsLeast) {
  Random random(5);
  for (unsigned round = 0; round < 500; ++round) {
    const auto count = static_cast<std::uint16_t>(2 + random.below(20));
    const BarrierTree tree(count, static_cast<std::uint32_t>(1 + random.below(4)));
    std::vector<NodeId> writers;
    for (NodeId node; node.value() < count; ++node) {
      if (random.chance(40)) writers.push_back(node);
    }
    if (writers.empty()) continue;
    const auto messages = [&](NodeId node) { return messages_beside(tree, node, writers); };
    EXPECT_EQ(best_home(tree, writers), *std::ranges::min_element(writers, {}, messages));
  }
}

// Node 1 of 4 in a line, which could be the home of a page that nodes 1 and 2 write.
struct OffersOfNode1 : testing::Test {
  static EngineConfig config() { return config_with_one_home(NodeId(1), 4, 20, NodeId(3)); }
  void note(PageIndex page, const std::vector<NodeId>& writers) {
    Page& entry = table.at(page);
    entry.state = Machine<PageStates>(PageState::kValid);
    entry.mapped = true;
    offers.note_written(page, NodeId(3), writers, line);
  }

  const std::vector<NodeId> both = {NodeId(1), NodeId(2)};
  const BarrierTree line{{NodeId(0), NodeId(1), NodeId(2)}};
  Surroundings node{config()};
  PageTable table{node.context.config};
  HomeOffers offers{node.context, table};
};

TEST_F(OffersOfNode1, AreOfPagesThatItsChildrenWrite) {
  note(PageIndex(5), both);
  note(PageIndex(6), {NodeId(1)});
  note(PageIndex(7), {NodeId(2), NodeId(3)});
  EXPECT_EQ(offers.offer(), pages(5, 1));
}

TEST_F(OffersOfNode1, EndWithTheWritersAndWithANewHome) {
  note(PageIndex(5), both);
  note(PageIndex(6), both);
  EXPECT_EQ(offers.offer(), pages(5, 2));
  note(PageIndex(5), {NodeId(1)});
  EXPECT_EQ(offers.offer(), pages(6, 1));
  offers.forget(PageIndex(6));
  EXPECT_TRUE(offers.offer().empty());
}

}  // namespace
}  // namespace weft
