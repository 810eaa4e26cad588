// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that wake only who has armed for all, on every transport (transport.hpp, Loudness).
#include <gtest/gtest.h>

#include <chrono>
#include <utility>

#include "base/numbers/random.hpp"
#include "transport/testing/test_messages.hpp"
#include "transport/testing/transport_kinds.hpp"

namespace weft {
namespace {

class QuietMessages : public testing::TestWithParam<TransportKind> {};

INSTANTIATE_TEST_SUITE_P(Kinds, QuietMessages, testing::ValuesIn(kTransportKinds),
                         [](const auto& info) { return name_of(info.param); });

// Whether quiet messages of two nodes go a way of their own.
bool has_quiet_way(TransportKind kind) {
  return kind != TransportKind::kTls && kind != TransportKind::kPlainStream &&
         kind != TransportKind::kRouted;
}

bool is_readable(Transport& transport, int timeout_ms = 0) {
  pollfd descriptor = {transport.event_descriptor(), POLLIN, 0};
  return ::poll(&descriptor, 1, timeout_ms) > 0;
}

// However late the network tells it.
bool is_woken(Transport& transport) { return is_readable(transport, kForEverMs); }

// Until node 1 has received so many, without sleeping.
void receive(TransportNodes& nodes, std::size_t count) {
  for (std::size_t received = 0; received < count || !nodes[0].drained();) {
    nodes[0].poll(kIgnore);
    received += nodes[1].poll(kIgnore);
  }
}

void arm(Transport& transport, ArmedFor what) {
  while (!transport.arm(what)) transport.poll(kIgnore);
}

TEST_P(QuietMessages, AQuietMessageWakesOnlyWhoIsArmedForAll) {
  if (!has_quiet_way(GetParam())) GTEST_SKIP() << "quiet messages are loud there";
  TransportNodes nodes(GetParam(), 2);
  const auto send = [&](Loudness loudness) {
    nodes[0].send(node(1), Channel::kControl, one(text("hello")), loudness);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
    while (!nodes[0].drained() || std::chrono::steady_clock::now() < end) nodes[0].poll(kIgnore);
  };
  for (const Loudness each : {Loudness::kLoud, Loudness::kQuiet}) {
    nodes[0].send(node(1), Channel::kControl, one(text("connect")), each);
  }
  receive(nodes, 2);
  for (int round = 0; round < 3; ++round) {
    arm(nodes[1], ArmedFor::kAll);
    EXPECT_FALSE(is_readable(nodes[1])) << "round " << round;
    send(Loudness::kQuiet);
    EXPECT_TRUE(is_woken(nodes[1])) << "round " << round;
    receive(nodes, 1);
    for (int again = 0; again < 2; ++again) {
      arm(nodes[1], ArmedFor::kLoud);
      EXPECT_FALSE(is_readable(nodes[1])) << "round " << round;
      send(Loudness::kQuiet);
      EXPECT_FALSE(is_readable(nodes[1])) << "round " << round;
      // Now it is needed: whoever arms for all finds it.
      if (again == 0) EXPECT_TRUE(!nodes[1].arm(ArmedFor::kAll) || is_woken(nodes[1]));
      receive(nodes, 1);
    }
    arm(nodes[1], ArmedFor::kLoud);
    send(Loudness::kLoud);
    EXPECT_TRUE(is_woken(nodes[1])) << "round " << round;
    receive(nodes, 1);
  }
}

TEST_P(QuietMessages, ComeThoughNobodyNeedsThem) {
  TransportNodes nodes(GetParam(), 2);
  nodes[0].send(node(1), Channel::kControl, one(text("hello")), Loudness::kQuiet);
  for (std::size_t received = 0; received == 0;) {
    nodes[0].poll(kIgnore);
    received += nodes[1].poll(kIgnore, ArmedFor::kLoud);
  }
}

TEST_P(QuietMessages, KeepsLoudAndQuietMessagesInOrder) {
  constexpr std::uint64_t kCount = 2000;
  TransportNodes nodes(GetParam(), 2);
  Random random(3);
  std::uint64_t received = 0;
  const auto receive = [&](NodeId, ByteView message) { ASSERT_EQ(number(message), received++); };
  for (std::uint64_t sent = 0; sent < kCount; ++sent) {
    MessageSegments segments = one(number(sent));
    segments.push_back(Bytes(random.below(random.chance(5) ? 60000 : 200)));
    const auto loudness = random.chance(50) ? Loudness::kQuiet : Loudness::kLoud;
    nodes[0].send(node(1), Channel::kControl, std::move(segments), loudness);
    if (random.chance(30)) nodes[1].poll(receive);
  }
  while (received < kCount) {
    nodes[0].poll(kIgnore);
    nodes[1].poll(receive);
  }
}

// Where a look is a call of UCX's, and over TCP a system call. Node 1 looks.
class UcxLooks : public testing::TestWithParam<TransportKind> {
 protected:
  UcxLooks() : nodes_(GetParam(), 2) {
    for (const Loudness each : {Loudness::kLoud, Loudness::kQuiet}) send(each);
    receive(nodes_, 2);
    // UCX has things of its own to do at first.
    for (int idle = 0; idle < 100; ++idle) {
      nodes_[0].poll(kIgnore);
      nodes_[1].poll(kIgnore);
      if (taken(Loudness::kLoud) > 1) idle = 0;
    }
    (void)taken(Loudness::kQuiet);
  }

  void send(Loudness loudness) {
    nodes_[0].send(node(1), Channel::kControl, one(text("hello")), loudness);
  }
  // Since this was asked last.
  std::uint64_t taken(Loudness loudness) {
    const auto index = static_cast<std::size_t>(loudness);
    const std::uint64_t now = nodes_[1].counters().looks[index];
    return now - std::exchange(before_[index], now);
  }

  TransportNodes nodes_;

 private:
  std::uint64_t before_[2] = {};
};

INSTANTIATE_TEST_SUITE_P(Kinds, UcxLooks,
                         testing::Values(TransportKind::kUcxSharedMemory, TransportKind::kUcxTcp),
                         [](const auto& info) { return name_of(info.param); });

TEST_P(UcxLooks, AreRareForQuietMessagesThatNobodyNeeds) {
  constexpr unsigned kPolls = 80;
  for (unsigned i = 0; i < kPolls; ++i) nodes_[1].poll(kIgnore, ArmedFor::kLoud);
  EXPECT_EQ(taken(Loudness::kLoud), kPolls);
  EXPECT_EQ(taken(Loudness::kQuiet), kPolls / Transport::kPollsPerQuietLook);
  for (unsigned i = 0; i < kPolls; ++i) nodes_[1].poll(kIgnore, ArmedFor::kAll);
  EXPECT_EQ(taken(Loudness::kQuiet), kPolls);
}

// One more would be between the message and its reader.
TEST_P(UcxLooks, EndWithTheOneThatFindsAMessage) {
  std::uint64_t polls = 0;
  for (int i = 0; i < 100; ++i) {
    send(Loudness::kLoud);
    for (std::size_t received = 0; received == 0; ++polls) {
      received += nodes_[1].poll(kIgnore, ArmedFor::kLoud);
    }
  }
  EXPECT_EQ(taken(Loudness::kLoud), polls);
}

}  // namespace
}  // namespace weft
