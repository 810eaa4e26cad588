// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Messages that wake only who has armed for all, on every transport (transport.hpp, Loudness).
#include <gtest/gtest.h>

#include <chrono>

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

}  // namespace
}  // namespace weft
