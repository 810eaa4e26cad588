// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Quiet messages between drivers (protocol/messages/message_type.hpp, may_wait): an arrival at a
// barrier wakes nobody on a node that computes, and nobody who waits for one waits in vain.
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <thread>

#include "base/futex.hpp"
#include "base/numbers/random.hpp"
#include "runtime/driver/driver_test_cluster.hpp"

namespace weft {
namespace {

// Node 0 is the root of the barrier's tree, and computes for a while.
class DriverQuietTest : public ClusterTest {
 protected:
  void SetUp() override {
    ClusterTest::SetUp();
    if (IsSkipped()) return;
    cluster_->driver(0).serve(Service::kHeapQuery, [](NodeId from, ByteView) {
      return Bytes(1, static_cast<std::byte>(from.value()));
    });
    pass_barrier();
  }

  void pass_barrier() {
    std::vector<std::thread> all;
    for (unsigned node = 0; node < kNodes; ++node) all.push_back(arrive(node));
    for (std::thread& each : all) each.join();
  }
  [[nodiscard]] std::thread arrive(unsigned node) {
    return std::thread([this, node] { cluster_->driver(node).barrier(); });
  }
  [[nodiscard]] std::thread ask(unsigned node) {
    return std::thread([this, node] {
      const Bytes answer = cluster_->driver(node).call(NodeId(0), Service::kHeapQuery, {});
      EXPECT_EQ(answer, Bytes(1, static_cast<std::byte>(node)));
    });
  }

  [[nodiscard]] InMemoryHub::Waking root() const { return cluster_->hub().waking(NodeId(0)); }
  [[nodiscard]] static std::int64_t compute_ns(Random& random) {
    return static_cast<std::int64_t>(random.below(random.chance(10) ? 2'000'000 : 100'000));
  }
  // Until its service thread waits as it does while the node's threads compute. It may have armed
  // for all when a thread slept, and looks anew when it is woken.
  void until_it_computes() {
    const ArmedFor usual = GetParam() ? ArmedFor::kAll : ArmedFor::kLoud;
    until([&] {
      if (root().armed == usual) return true;
      ask(2).join();
      return false;
    });
  }
  void until_armed_for(ArmedFor what) const {
    until([&] { return root().armed == what; });
  }
  void until_arrivals(std::size_t count) const {
    until([&] { return root().quiet_frames == count; });
  }

 private:
  // A node that should have got there after so long will not; a loaded machine is quicker.
  static void until(const std::function<bool()>& reached) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(2);
    while (!reached()) {
      ASSERT_LT(std::chrono::steady_clock::now(), end);
      std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
  }
};
INSTANTIATE_TEST_SUITE_P(Processors, DriverQuietTest, testing::Bool(), processors_of);

TEST_P(DriverQuietTest, ArrivalsWakeNobodyOnANodeThatComputes) {
  if (GetParam()) GTEST_SKIP() << "the service thread does most of the polling there";
  for (int round = 0; round < 5; ++round) {
    until_it_computes();
    const std::uint64_t before = root().wake_ups;
    std::thread one = arrive(1), two = arrive(2);
    until_arrivals(2);
    EXPECT_EQ(root().armed, ArmedFor::kLoud) << "round " << round;
    EXPECT_EQ(root().wake_ups, before) << "round " << round;
    cluster_->driver(0).barrier();
    one.join();
    two.join();
  }
}

TEST_P(DriverQuietTest, ARequestIsAnsweredBesideAnArrivalThatWaits) {
  for (int round = 0; round < 5; ++round) {
    until_it_computes();
    std::thread one = arrive(1);
    if (!GetParam()) until_arrivals(1);
    ask(2).join();
    std::thread two = arrive(2);
    cluster_->driver(0).barrier();
    one.join();
    two.join();
  }
}

// The request is the later of two messages of one node, and comes first. It needs the other.
TEST_P(DriverQuietTest, ARequestThatOvertakesAnArrivalIsAnsweredWhenThatComes) {
  for (int round = 0; round < 5; ++round) {
    until_it_computes();
    cluster_->hub().hold_quiet(NodeId(0), true);
    std::thread one = arrive(1);
    until_arrivals(1);
    const std::uint64_t before = root().wake_ups;
    std::thread asker = ask(1);
    while (root().wake_ups == before) std::this_thread::yield();
    until_armed_for(ArmedFor::kAll);
    cluster_->hub().hold_quiet(NodeId(0), false);
    asker.join();
    std::thread two = arrive(2);
    cluster_->driver(0).barrier();
    one.join();
    two.join();
  }
}

// Its thread has gone to sleep before the arrivals come.
TEST_P(DriverQuietTest, WhoSleepsAtABarrierIsWokenByArrivals) {
  for (int round = 0; round < 5; ++round) {
    until_it_computes();
    cluster_->hub().hold_quiet(NodeId(0), true);
    std::thread one = arrive(1), two = arrive(2);
    until_arrivals(2);
    std::thread zero = arrive(0);
    until_armed_for(ArmedFor::kAll);
    if (round % 2 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    cluster_->hub().hold_quiet(NodeId(0), false);
    for (std::thread* each : {&zero, &one, &two}) each->join();
  }
}

// Barriers after some computing, now and then so much that others sleep, with requests in between.
TEST_P(DriverQuietTest, NobodyWaitsInVain) {
  static constexpr int kRounds = 200;
  std::vector<std::thread> all;
  for (unsigned node = 0; node < kNodes; ++node) {
    all.emplace_back([this, node] {
      Random random(node);
      for (int round = 0; round < kRounds; ++round) {
        const std::int64_t until = now_ns() + compute_ns(random);
        while (now_ns() < until) {
        }
        if (node != 0 && random.chance(30)) ask(node).join();
        cluster_->driver(node).barrier();
      }
    });
  }
  for (std::thread& each : all) each.join();
}

}  // namespace
}  // namespace weft
