// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/context/context.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"
#include "protocol/messages/message.hpp"

namespace weft {
namespace {

constexpr NodeId kChild(1), kOther(2);

EngineConfig config_of(std::uint32_t held_bytes) {
  EngineConfig config;
  config.self = NodeId(0);
  config.node_count = 3;
  config.page_count = 4;
  config.held_departure_bytes = held_bytes;
  return config;
}

struct HeldDeparture : testing::Test {
  // The bytes of a departure that says nothing, at most so many of which are held.
  static std::size_t bytes_of_departure() {
    Surroundings node(config_of(0));
    node.context.hold(kChild, {});
    return node.effects.sent.at(0).message.size();
  }
  std::vector<NodeId> receivers() {
    std::vector<NodeId> all;
    for (const auto& sent : node.effects.sent) all.push_back(sent.to);
    return all;
  }

  Surroundings node{config_of(16 * 1024)};
  Context& context = node.context;
  Bytes bytes = Bytes(8);
  ByteView view = bytes;
};

TEST_F(HeldDeparture, GoesBeforeWhateverIsSent) {
  const std::vector<NodeId> both{kChild, kOther};
  context.hold(kChild, {});
  EXPECT_TRUE(receivers().empty());
  context.send(kOther, Priority::kControl, Post{});
  EXPECT_EQ(receivers(), both);
}

TEST_F(HeldDeparture, GoesBeforeWhatIsLent) {
  const std::vector<NodeId> both{kChild, kOther};
  context.hold(kChild, {});
  context.send_with(kOther, Priority::kData, Post{}, {&view, 1});
  EXPECT_EQ(receivers(), both);
}

TEST_F(HeldDeparture, GoesBeforeWhatIsCopied) {
  const std::vector<NodeId> both{kChild, kOther};
  context.hold(kChild, {});
  context.send_with_copy(kOther, Priority::kData, Post{}, {&view, 1});
  EXPECT_EQ(receivers(), both);
}

TEST_F(HeldDeparture, GoesOnce) {
  context.hold(kChild, {});
  context.send_held();
  context.send_held();
  EXPECT_EQ(receivers(), std::vector<NodeId>{kChild});
}

TEST_F(HeldDeparture, GoesWithThePublicationInOneMessage) {
  context.hold(kChild, {});
  context.send_behind_held(kChild, {});
  EXPECT_EQ(receivers(), std::vector<NodeId>{kChild});
  context.send_behind_held(kOther, {});
  EXPECT_EQ(receivers().size(), 2U);
}

// One that is too large goes at once, behind those that were held.
TEST_F(HeldDeparture, OfMoreBytesThanMayWaitGoesAtOnce) {
  const auto bytes = static_cast<std::uint32_t>(bytes_of_departure());
  Surroundings exact(config_of(bytes));
  exact.context.hold(kChild, {});
  EXPECT_TRUE(exact.effects.sent.empty());
  BarrierDepart longer;
  longer.others = {kOther};
  exact.context.hold(kOther, longer);
  ASSERT_EQ(exact.effects.sent.size(), 2U);
  EXPECT_EQ(exact.effects.sent[0].to, kChild);
  EXPECT_EQ(exact.effects.sent[1].to, kOther);
}

TEST(ContextCounts, MessagesAndTheirBytes) {
  Surroundings node(config_of(0));
  Bytes bytes(8);
  const ByteView view = bytes;
  node.context.send(kChild, Priority::kControl, Post{});
  node.context.send_with(kChild, Priority::kData, Post{}, {&view, 1});
  node.context.send_with_copy(kChild, Priority::kData, Post{}, {&view, 1});
  std::uint64_t all = 0;
  for (const auto& sent : node.effects.sent) all += sent.message.size();
  EXPECT_EQ(node.context.counters.messages_sent, 3U);
  EXPECT_EQ(node.context.counters.message_bytes, all);
}

}  // namespace
}  // namespace weft
