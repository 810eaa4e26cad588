// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "protocol/exchange/exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "base/numbers/random.hpp"
#include "protocol/context/test_surroundings.hpp"
#include "protocol/messages/message_codec.hpp"

namespace weft {
namespace {

// All nodes of one exchange; what they send arrives in an order by chance.
class Nodes {
 public:
  Nodes(std::uint16_t count, Random& random) : random_(random) {
    for (NodeId node; node.value() < count; ++node) {
      surroundings_.push_back(
          std::make_unique<Surroundings>(config_with_one_home(node, count, 1, NodeId(0))));
      exchanges_.emplace_back(surroundings_.back()->context, ExchangeKind::kPushes);
      exchanges_.back().begin();
    }
  }

  // One node's own is ready, or one message arrives. False if nothing is left to happen.
  bool step(std::vector<std::vector<Exchange::Own>>& own) {
    collect();
    std::vector<std::size_t> unready;
    for (std::size_t node = 0; node < exchanges_.size(); ++node) {
      if (!ready_.contains(node)) unready.push_back(node);
    }
    const std::size_t choices = unready.size() + under_way_.size();
    if (choices == 0) return false;
    const std::size_t choice = random_.below(choices);
    if (choice < unready.size()) {
      const std::size_t node = unready[choice];
      ready_[node] = true;
      exchanges_[node].send(std::exchange(own[node], {}));
    } else {
      const auto place = under_way_.begin() + static_cast<std::ptrdiff_t>(choice - unready.size());
      const auto [to, message] = std::move(*place);
      under_way_.erase(place);
      arrive(to, message);
    }
    return true;
  }

  [[nodiscard]] bool are_done() const {
    return std::ranges::none_of(exchanges_, &Exchange::is_under_way);
  }

  // Who got what, of whom, how often; and how many messages and envelopes there were.
  std::map<std::pair<NodeId, NodeId>, std::vector<Bytes>> delivered;
  std::size_t messages = 0, envelopes = 0;

 private:
  void collect() {
    for (const auto& each : surroundings_) {
      for (auto& sent : std::exchange(each->effects.sent, {})) {
        ++messages;
        under_way_.emplace_back(sent.to, std::move(sent.message));
      }
    }
  }

  void arrive(NodeId to, const Bytes& message) {
    WireReader wire(message);
    EXPECT_EQ(read_header(wire).type, MessageType::kExchangeRound);
    const auto round = decode<ExchangeRound>(wire);
    Exchange& exchange = exchanges_[to.value()];
    exchange.pass_on(round);
    for (const Envelope& each : round.envelopes) {
      ++envelopes;
      if (!std::ranges::binary_search(each.to, to)) continue;
      delivered[{each.from, to}].emplace_back(each.message.begin(), each.message.end());
    }
    EXPECT_TRUE(exchange.is_under_way());
    exchange.note_delivered();
  }

  Random& random_;
  std::vector<std::unique_ptr<Surroundings>> surroundings_;
  std::vector<Exchange> exchanges_;
  std::map<std::size_t, bool> ready_;
  std::vector<std::pair<NodeId, Bytes>> under_way_;
};

Bytes some_bytes(Random& random) { return Bytes(random.below(9), std::byte(random.below(256))); }

// What nodes have for others, a few things each, for nodes by chance.
std::vector<std::vector<Exchange::Own>> some_own(std::uint16_t count, Random& random) {
  std::vector<std::vector<Exchange::Own>> own(count);
  for (std::uint16_t node = 0; node < count; ++node) {
    for (std::uint64_t left = random.below(4); left > 0; --left) {
      Exchange::Own thing{{}, some_bytes(random)};
      const unsigned percent = random.chance(30) ? 100 : 30;
      for (NodeId to; to.value() < count; ++to) {
        if (to.value() != node && random.chance(percent)) thing.to.push_back(to);
      }
      if (!thing.to.empty()) own[node].push_back(std::move(thing));
    }
  }
  return own;
}

TEST(Exchange, BringsEachThingOnceToEachNodeItIsFor) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Random random(seed);
    const auto count = static_cast<std::uint16_t>(2 + random.below(12));
    auto own = some_own(count, random);
    std::map<std::pair<NodeId, NodeId>, std::vector<Bytes>> wanted;
    std::size_t hops = 0;
    for (std::uint16_t node = 0; node < count; ++node) {
      for (const Exchange::Own& thing : own[node]) {
        hops += exchange_hops(NodeId(node), thing.to, count);
        for (const NodeId to : thing.to) wanted[{NodeId(node), to}].push_back(thing.message);
      }
    }
    Nodes nodes(count, random);
    while (nodes.step(own)) {
    }
    EXPECT_TRUE(nodes.are_done()) << "seed " << seed;
    for (auto* const all : {&wanted, &nodes.delivered}) {
      for (auto& [between, things] : *all) std::ranges::sort(things);
    }
    EXPECT_EQ(nodes.delivered, wanted) << "seed " << seed;
    EXPECT_EQ(nodes.messages, count * exchange_rounds(count)) << "seed " << seed;
    EXPECT_EQ(nodes.envelopes, hops) << "seed " << seed;
  }
}

TEST(Exchange, HasALogarithmOfRounds) {
  EXPECT_EQ(exchange_rounds(2), 1U);
  EXPECT_EQ(exchange_rounds(3), 2U);
  EXPECT_EQ(exchange_rounds(16), 4U);
  EXPECT_EQ(exchange_rounds(17), 5U);
  EXPECT_EQ(exchange_rounds(1024), 10U);
}

TEST(Exchange, SendsWhatIsForAllNoOftenerThanThereAreNodes) {
  for (const std::uint16_t count : {3, 16, 100}) {
    std::vector<NodeId> others;
    for (NodeId node(1); node.value() < count; ++node) others.push_back(node);
    EXPECT_EQ(exchange_hops(NodeId(0), others, count), others.size());
  }
  // 11 is 1 + 2 + 8.
  EXPECT_EQ(exchange_hops(NodeId(0), {NodeId(11)}, 16), 3U);
  EXPECT_EQ(exchange_hops(NodeId(9), {NodeId(4)}, 16), 3U);
  // To 3 it goes by way of 1.
  EXPECT_EQ(exchange_hops(NodeId(0), {NodeId(1), NodeId(3)}, 16), 2U);
}

}  // namespace
}  // namespace weft
