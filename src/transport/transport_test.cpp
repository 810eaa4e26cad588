// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What every transport promises: the same tests for the in-memory one, for UCX over shared memory
// and over TCP, and for streams with and without encryption. All nodes live in this process and are
// driven in turn, or by one thread each.
#include "transport/transport.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <cstring>
#include <numeric>
#include <thread>

#include "base/numbers/random.hpp"
#include "transport/testing/test_messages.hpp"
#include "transport/testing/transport_kinds.hpp"

namespace weft {
namespace {

using Kind = TransportKind;
using Nodes = TransportNodes;

class TransportTest : public testing::TestWithParam<Kind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, TransportTest, testing::ValuesIn(kTransportKinds),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(TransportTest, JoinsSegmentsAndSaysWhoSent) {
  Nodes nodes(GetParam(), 3);
  MessageSegments segments;
  segments.push_back(text("warp"));
  segments.push_back(Bytes());
  segments.push_back(text(" and "));
  segments.push_back(Bytes(5000, std::byte{7}));
  const Bytes lent(9000, std::byte{8});
  segments.push_back(MessageSegment(ByteView(lent)));
  Bytes expected;
  for (const MessageSegment& each : segments) {
    expected.insert(expected.end(), each.bytes().begin(), each.bytes().end());
  }
  nodes[2].send(node(0), Channel::kData, std::move(segments));

  Bytes received;
  NodeId sender;
  while (received.empty()) {
    nodes[2].poll(kIgnore);
    nodes[0].poll([&](NodeId from, ByteView message) {
      sender = from;
      received.assign(message.begin(), message.end());
    });
  }
  EXPECT_EQ(sender, node(2));
  EXPECT_EQ(received, expected);
}

TEST_P(TransportTest, KeepsEachChannelInOrder) {
  constexpr std::uint64_t kCount = 3000;
  Nodes nodes(GetParam(), 2);
  Random random(1);
  std::uint64_t sent[2] = {};
  std::uint64_t received[2] = {};
  const auto receive = [&](NodeId, ByteView message) {
    ByteReader reader(message);
    const std::uint8_t channel = reader.u8();
    ASSERT_EQ(reader.u64(), received[channel]++);
  };
  while (sent[0] + sent[1] < kCount) {
    const std::uint8_t channel = random.chance(50) ? 1 : 0;
    Bytes bytes;
    ByteWriter writer(bytes);
    writer.u8(channel);
    writer.u64(sent[channel]++);
    bytes.resize(bytes.size() + random.below(random.chance(10) ? 30000 : 100));
    nodes[0].send(node(1), static_cast<Channel>(channel), one(std::move(bytes)));
    if (random.chance(20)) nodes[1].poll(receive);
  }
  while (received[0] + received[1] < kCount) {
    nodes[0].poll(kIgnore);
    nodes[1].poll(receive);
  }
  EXPECT_EQ(received[0], sent[0]);
  EXPECT_EQ(received[1], sent[1]);
}

TEST_P(TransportTest, ControlOvertakesQueuedData) {
  if (GetParam() == Kind::kUcxDelayed) {
    GTEST_SKIP()
        << "jitter holds control back as well (injected_delay_test.cpp has the rule there)";
  }
  constexpr std::uint64_t kMessages = 1000;
  constexpr std::size_t kMessageBytes = 4096;
  const FlowOptions options;
  Nodes nodes(GetParam(), 2, options);
  for (std::uint64_t each = 0; each < kMessages; ++each) {
    nodes[0].send(node(1), Channel::kData, one(Bytes(kMessageBytes)));
  }
  nodes[0].send(node(1), Channel::kControl, one(text("now")));

  std::uint64_t data = 0, data_before_control = 0;
  while (data < kMessages) {
    nodes[0].poll(kIgnore);
    nodes[1].poll([&](NodeId, ByteView message) {
      if (message.size() == kMessageBytes) ++data;
      if (message.size() == 3) data_before_control = data;
    });
  }
  EXPECT_LE(data_before_control, options.window_bytes / kMessageBytes);
  EXPECT_EQ(nodes[1].counters().messages_received[0], 1U);
}

TEST_P(TransportTest, HoldsDataBackBeyondTheWindow) {
  FlowOptions options;
  options.window_bytes = 10000;
  Nodes nodes(GetParam(), 2, options);
  for (int each = 0; each < 20; ++each) {
    nodes[0].send(node(1), Channel::kData, one(Bytes(1000)));
  }
  // The receiver never consumes anything, so that the sender must stop at the window.
  for (int turn = 0; turn < 1000; ++turn) nodes[0].poll(kIgnore);
  EXPECT_FALSE(nodes[0].drained());

  std::size_t received = 0;
  while (received < 20) {
    received += nodes[1].poll(kIgnore);
    nodes[0].poll(kIgnore);
  }
  EXPECT_GE(nodes[1].counters().acknowledgements_sent, 2U);
  while (!nodes[0].drained()) nodes[0].poll(kIgnore);
}

TEST_P(TransportTest, AcknowledgementsRideOnAnswers) {
  if (GetParam() == Kind::kUcxDelayed) GTEST_SKIP() << "the answers are still on the wire then";
  FlowOptions options;
  options.window_bytes = 10000;
  Nodes nodes(GetParam(), 2, options);
  std::size_t answers = 0;
  const auto answer = [&](NodeId from, ByteView) {
    nodes[1].send(from, Channel::kControl, one(text("thanks")));
  };
  for (int each = 0; each < 100; ++each) {
    nodes[0].send(node(1), Channel::kData, one(Bytes(4000)));
  }
  while (answers < 100) {
    nodes[1].poll(answer);
    answers += nodes[0].poll(kIgnore);
  }
  EXPECT_EQ(nodes[1].counters().acknowledgements_sent, 0U);
}

TEST_P(TransportTest, CarriesMessagesFarLargerThanTheWindow) {
  Nodes nodes(GetParam(), 2);
  for (const Channel channel : {Channel::kControl, Channel::kData}) {
    Bytes large(5'000'003);
    Random random(7);
    for (std::byte& each : large) each = static_cast<std::byte>(random.next());
    MessageSegments segments;
    segments.push_back(Bytes(large.begin(), large.begin() + 1'234'567));
    segments.push_back(Bytes(large.begin() + 1'234'567, large.end()));
    nodes[0].send(node(1), channel, std::move(segments));
    Bytes received;
    while (received.empty()) {
      nodes[0].poll(kIgnore);
      nodes[1].poll(
          [&](NodeId, ByteView message) { received.assign(message.begin(), message.end()); });
    }
    EXPECT_TRUE(received == large);
  }
}

TEST_P(TransportTest, CarriesEmptyMessages) {
  Nodes nodes(GetParam(), 2);
  nodes[0].send(node(1), Channel::kControl, {});
  nodes[0].send(node(1), Channel::kData, one({}));
  std::size_t received = 0;
  while (received < 2) {
    nodes[0].poll(kIgnore);
    received += nodes[1].poll([](NodeId, ByteView message) { EXPECT_TRUE(message.empty()); });
  }
}

TEST_P(TransportTest, WakesASleeperForEachMessage) {
  constexpr std::uint64_t kRounds = 200;
  Nodes nodes(GetParam(), 2);
  std::thread echo([&] {
    std::uint64_t seen = 0;
    while (seen < kRounds) {
      seen += nodes[1].poll([&](NodeId from, ByteView message) {
        nodes[1].send(from, Channel::kControl, one(Bytes(message.begin(), message.end())));
      });
      if (seen < kRounds) ASSERT_TRUE(sleep_until_work(nodes[1], kForEverMs));
    }
    while (!nodes[1].drained()) nodes[1].poll(kIgnore);
  });
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    nodes[0].send(node(1), Channel::kControl, one(number(round)));
    bool answered = false;
    while (!answered) {
      nodes[0].poll([&](NodeId, ByteView message) {
        EXPECT_EQ(number(message), round);
        answered = true;
      });
      if (!answered) ASSERT_TRUE(sleep_until_work(nodes[0], kForEverMs)) << "round " << round;
    }
  }
  echo.join();
}

TEST_P(TransportTest, WhoSleepsIsWokenAlsoIfAnotherHasPolledInVain) {
  Nodes nodes(GetParam(), 2);
  std::size_t received = 0;
  nodes[1].send(node(0), Channel::kControl, one(text("hello")));
  while (received == 0 || !nodes[1].drained()) {
    received += nodes[0].poll(kIgnore);
    nodes[1].poll(kIgnore);
  }
  while (!nodes[0].arm(ArmedFor::kAll)) nodes[0].poll(kIgnore);
  for (int again = 0; again < 3; ++again) nodes[0].poll(kIgnore);
  nodes[1].send(node(0), Channel::kControl, one(text("again")));
  pollfd descriptor = {nodes[0].event_descriptor(), POLLIN, 0};
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(kForEverMs);
  while (::poll(&descriptor, 1, 0) == 0) {
    ASSERT_LT(std::chrono::steady_clock::now(), end) << "nobody woke the sleeper";
    nodes[1].poll(kIgnore);
  }
  while (received == 1) received += nodes[0].poll(kIgnore);
}

TEST_P(TransportTest, AnIdleNodeSleeps) {
  Nodes nodes(GetParam(), 2);
  // Connected, and used once, so that there is something that could keep it awake.
  std::size_t received = 0;
  nodes[0].send(node(1), Channel::kData, one(text("hello")));
  while (received == 0) {
    nodes[0].poll(kIgnore);
    received += nodes[1].poll(kIgnore);
  }
  // Time itself is what is tested: how often nodes wake in it. A loaded machine can only make it
  // less.
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(1);
  std::size_t wake_ups = 0;
  while (std::chrono::steady_clock::now() < end) {
    for (std::size_t each = 0; each < 2; ++each) {
      if (sleep_until_work(nodes[each], 250)) ++wake_ups;
      nodes[each].poll(kIgnore);
    }
  }
  EXPECT_LT(wake_ups, 50U);  // of connections being set up; without sleeping it is millions
}

// Every node sends to every other, with a thread for each node that sleeps when it has no work.
TEST_P(TransportTest, EightNodesAllToAll) {
  constexpr std::size_t kNodes = 8;
  constexpr std::uint64_t kMessages = 200;
  FlowOptions options;
  options.window_bytes = 16384;
  Nodes nodes(GetParam(), kNodes, options);
  std::atomic<std::size_t> finished = 0;
  std::vector<std::thread> threads;
  for (std::size_t self = 0; self < kNodes; ++self) {
    threads.emplace_back([&nodes, &finished, self] {
      Random random(self);
      std::vector<std::uint64_t> expected(kNodes, 0);
      std::size_t received = 0;
      const Receiver receive = [&](NodeId from, ByteView message) {
        ASSERT_EQ(number(message), expected[from.value()]++);
      };
      for (std::uint64_t message = 0; message < kMessages; ++message) {
        for (std::size_t to = 0; to < kNodes; ++to) {
          if (to == self) continue;
          MessageSegments segments = one(number(message));
          segments.push_back(Bytes(random.below(3000)));
          const auto loudness = random.chance(30) ? Loudness::kQuiet : Loudness::kLoud;
          nodes[self].send(node(to), Channel::kData, std::move(segments), loudness);
        }
        received += nodes[self].poll(receive);
      }
      while (received < kMessages * (kNodes - 1) || !nodes[self].drained()) {
        received += nodes[self].poll(receive);
        if (received < kMessages * (kNodes - 1)) {
          ASSERT_TRUE(sleep_until_work(nodes[self], kForEverMs)) << "node " << self;
        }
      }
      // The last acknowledgements of others may still need this node's progress.
      ++finished;
      while (finished < kNodes) {
        nodes[self].poll(receive);
        std::this_thread::yield();
      }
      for (std::size_t from = 0; from < kNodes; ++from) {
        EXPECT_EQ(expected[from], from == self ? 0 : kMessages);
      }
    });
  }
  for (std::thread& each : threads) each.join();
}

}  // namespace
}  // namespace weft
