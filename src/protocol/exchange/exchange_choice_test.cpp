// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/exchange/exchange_choice.hpp"

#include <gtest/gtest.h>

#include "protocol/context/test_surroundings.hpp"

namespace weft {
namespace {

constexpr PhaseKey kPhase(7), kOther(8);
constexpr ExchangeKinds kPushes = bit_of(ExchangeKind::kPushes);

// Of 16 nodes, whose exchange has 4 rounds, and so 64 messages.
struct Choice : testing::Test {
  static EngineConfig config_of(NodeId self) {
    return config_with_one_home(self, 16, 1, NodeId(0));
  }
  // The node sends so many bytes to each of these by themselves.
  static void send(ExchangeChoice& choice, std::uint16_t first, std::uint16_t end,
                   std::size_t bytes) {
    std::vector<ExchangeChoice::Load> loads;
    for (NodeId to(first); to.value() < end; ++to) loads.push_back({{to}, bytes});
    choice.count(ExchangeKind::kPushes, loads.size(), loads);
  }
  // So many nodes below the root have reported the same.
  void report(unsigned nodes) {
    for (; nodes > 0; --nodes) {
      ExchangeChoice below(child.context);
      below.begin_turn(kPhase);
      send(below, 2, 16, 100);
      root.add(below.take_for_parent());
    }
    root.learn();
  }

  Surroundings node{config_of(NodeId(0))}, child{config_of(NodeId(1))};
  ExchangeChoice root{node.context};
};

TEST_F(Choice, FallsOnAnExchangeWhereItSavesMessages) {
  root.begin_turn(kPhase);
  EXPECT_EQ(root.choose(kPhase), 0);
  report(4);  // 14 messages each: 56
  EXPECT_EQ(root.choose(kPhase), 0);
  root.begin_turn(kPhase);
  report(5);  // 70
  EXPECT_EQ(root.choose(kPhase), kPushes);
  EXPECT_EQ(root.choose(kOther), 0);
}

TEST_F(Choice, ForgetsAPhaseThatHasBegunWithLess) {
  root.begin_turn(kPhase);
  report(5);
  root.begin_turn(kOther);
  root.learn();
  EXPECT_EQ(root.choose(kPhase), kPushes);
  root.begin_turn(kPhase);
  root.learn();
  EXPECT_EQ(root.choose(kPhase), 0);
}

TEST_F(Choice, DoesNotCountNodesThatSendAsLittleAsInAnExchange) {
  EXPECT_FALSE(root.is_counted(4));
  EXPECT_TRUE(root.is_counted(5));
}

TEST_F(Choice, CountsTheBytesThatAnExchangeSendsAgain) {
  ExchangeChoice few(child.context), many(child.context);
  for (ExchangeChoice* each : {&few, &many}) each->begin_turn(kPhase);
  // From node 1 to node 8, at a distance of 7, all goes three times.
  const std::vector<ExchangeChoice::Load> small(6, {{NodeId(8)}, 1000}),
      large(6, {{NodeId(8)}, std::size_t{16} * 1024});
  few.count(ExchangeKind::kPushes, 6, small);
  many.count(ExchangeKind::kPushes, 6, large);
  ASSERT_EQ(few.take_for_parent().size(), 1U);
  EXPECT_TRUE(many.take_for_parent().empty());
}

// One node that sends to all others, or hears from all of them, takes longer than 4 rounds.
TEST_F(Choice, FallsOnAnExchangeWhereItSavesTime) {
  ExchangeChoice below(child.context);
  below.begin_turn(kPhase);
  below.count_coming(ExchangeKind::kFinals, 16);
  root.begin_turn(kPhase);
  root.add(below.take_for_parent());
  root.learn();
  EXPECT_EQ(root.choose(kPhase), 0);
  below.begin_turn(kPhase);
  below.count_coming(ExchangeKind::kFinals, 17);
  root.begin_turn(kPhase);
  root.add(below.take_for_parent());
  root.learn();
  EXPECT_EQ(root.choose(kPhase), bit_of(ExchangeKind::kFinals));
}

TEST_F(Choice, IsNotThereWhereTheTreeFollowsTheData) {
  Surroundings small(config_with_one_home(NodeId(0), 8, 1, NodeId(0)));
  ExchangeChoice choice(small.context);
  choice.begin_turn(kPhase);
  EXPECT_FALSE(choice.is_counted(1000));
  EXPECT_TRUE(choice.take_for_parent().empty());
}

}  // namespace
}  // namespace weft
