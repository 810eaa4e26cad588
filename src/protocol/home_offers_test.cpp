// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/home_offers.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace weft
