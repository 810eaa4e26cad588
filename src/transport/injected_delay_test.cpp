// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// That messages are late by the right amount. What every transport promises is tested with the
// others, in transport_test.cpp. A loaded machine can only make things later, so times are checked
// from below alone.
#include "transport/injected_delay.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "transport/testing/in_memory.hpp"
#include "transport/testing/test_messages.hpp"

namespace weft {
namespace {

using Clock = std::chrono::steady_clock;

class InjectedDelayTest : public testing::Test {
 protected:
  void slow_down(const InjectedDelayOptions& options, InjectedDelay::Clock clock = monotonic_ns) {
    sender_ = std::make_unique<InjectedDelay>(hub_.lend(NodeId(0)), options, clock);
  }
  void send(Channel channel, std::size_t bytes) {
    MessageSegments segments(1, Bytes(bytes));
    sender_->send(NodeId(1), channel, std::move(segments));
  }
  // Drives the sender as a node does that has nothing else to do; counts its wake-ups.
  void run_until_received(std::size_t count, const Receiver& receiver = kIgnore) {
    std::size_t received = 0;
    while (received < count) {
      sender_->poll(kIgnore);
      received += hub_.transport(NodeId(1)).poll(receiver);
      if (received == count || !sender_->arm(ArmedFor::kAll)) continue;
      pollfd descriptor = {sender_->event_descriptor(), POLLIN, 0};
      ASSERT_EQ(::poll(&descriptor, 1, kForEverMs), 1) << "nobody woke the sender";
      ++wake_ups_;
    }
  }

  InMemoryHub hub_{2};
  std::unique_ptr<InjectedDelay> sender_;
  std::size_t wake_ups_ = 0;
};

TEST_F(InjectedDelayTest, DelaysByTheLatencyAndSleepsMeanwhile) {
  slow_down({.latency_us = 20000});
  const auto start = Clock::now();
  for (int each = 0; each < 10; ++each) send(Channel::kControl, 100);
  run_until_received(10);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(20));
  EXPECT_LE(wake_ups_, 12U);
  EXPECT_TRUE(sender_->drained());
}

// As when one thread sleeps until there is something, and another sends.
TEST_F(InjectedDelayTest, WhatIsSentWhileArmedWakesWhoWaits) {
  slow_down({.latency_us = 1000});
  ASSERT_TRUE(sender_->arm(ArmedFor::kAll));
  send(Channel::kControl, 100);
  pollfd descriptor = {sender_->event_descriptor(), POLLIN, 0};
  ASSERT_EQ(::poll(&descriptor, 1, kForEverMs), 1) << "nobody woke the sender";
  run_until_received(1);
  EXPECT_TRUE(sender_->drained());
}

TEST_F(InjectedDelayTest, LimitsTheBandwidthOfTheNode) {
  slow_down({.bytes_per_second = 10'000'000});
  const auto start = Clock::now();
  for (int each = 0; each < 5; ++each) send(Channel::kData, 100'000);
  EXPECT_FALSE(sender_->drained());
  run_until_received(5);
  EXPECT_GE(Clock::now() - start, std::chrono::milliseconds(50));
}

std::uint64_t stopped_clock_ns = 0;

// While the clock stands still, nothing leaves the card. It takes a millisecond for a data message.
TEST_F(InjectedDelayTest, ControlWaitsForOneDataMessageAtMost) {
  stopped_clock_ns = 1'000'000'000;
  slow_down({.latency_us = 100, .bytes_per_second = 10'000'000}, [] { return stopped_clock_ns; });
  for (int each = 0; each < 20; ++each) send(Channel::kData, 10'000);
  send(Channel::kControl, 10);
  std::size_t data = 0, data_before_control = 0;
  const Receiver count = [&](NodeId, ByteView message) {
    if (message.size() == 10) data_before_control = data;
    if (message.size() != 10) ++data;
  };
  for (int each = 0; each < 220; ++each) {
    stopped_clock_ns += 100'000;
    sender_->poll(kIgnore);
    hub_.transport(NodeId(1)).poll(count);
  }
  EXPECT_EQ(data, 20U);
  EXPECT_EQ(data_before_control, 1U);
  EXPECT_TRUE(sender_->drained());
}

// In which order messages of both channels arrive, by the number in their first byte: control
// messages are even.
std::vector<int> arrivals(InMemoryHub& hub, Transport& sender, int count) {
  std::vector<int> order;
  const Receiver note = [&](NodeId, ByteView message) {
    order.push_back(std::to_integer<int>(message.front()));
  };
  for (int number = 0; number < count; ++number) {
    MessageSegments segments(1, Bytes(1, static_cast<std::byte>(number)));
    sender.send(NodeId(1), number % 2 == 0 ? Channel::kControl : Channel::kData,
                std::move(segments));
  }
  while (order.size() < static_cast<std::size_t>(count)) {
    sender.poll(kIgnore);
    hub.transport(NodeId(1)).poll(note);
  }
  return order;
}

TEST_F(InjectedDelayTest, JitterKeepsTheOrderOfAChannelAndNoOther) {
  slow_down({.jitter_us = 500, .seed = 7});
  const std::vector<int> order = arrivals(hub_, *sender_, 100);
  std::vector<int> control, data;
  for (const int number : order) (number % 2 == 0 ? control : data).push_back(number);
  EXPECT_TRUE(std::ranges::is_sorted(control));
  EXPECT_TRUE(std::ranges::is_sorted(data));
  EXPECT_FALSE(std::ranges::is_sorted(order)) << "nothing was overtaken";
  EXPECT_TRUE(sender_->drained());
}

}  // namespace
}  // namespace weft
