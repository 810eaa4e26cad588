// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/waiting/doorbell.hpp"

#include <gtest/gtest.h>
#include <poll.h>

#include <atomic>
#include <thread>

namespace weft {
namespace {

bool is_readable(const Doorbell& bell, int timeout_ms) {
  pollfd descriptor = {bell.descriptor(), POLLIN, 0};
  return poll(&descriptor, 1, timeout_ms) == 1;
}

TEST(Doorbell, IsReadableFromTheFirstRingUntilItIsAnswered) {
  Doorbell bell;
  EXPECT_FALSE(is_readable(bell, 0));
  bell.ring();
  bell.ring();
  EXPECT_TRUE(is_readable(bell, 0));
  bell.answer();
  EXPECT_FALSE(is_readable(bell, 0));
  bell.ring();
  EXPECT_TRUE(is_readable(bell, 0));
}

// A thread rings at any moment, also while another ring is answered; after the last ring of each
// round it waits until it is served.
TEST(Doorbell, NoRingIsLost) {
  constexpr unsigned kRounds = 5'000, kRings = 50;
  constexpr int kWatchdogMilliseconds = 20'000;
  Doorbell bell;
  std::atomic<unsigned> asked{0}, served{0};
  std::atomic<bool> lost{false};
  std::thread ringer([&] {
    for (unsigned round = 1; round <= kRounds; ++round) {
      for (unsigned ring = 0; ring < kRings; ++ring) bell.ring();
      asked.store(round, std::memory_order_relaxed);
      bell.ring();
      while (served.load() != round && !lost) std::this_thread::yield();
    }
  });
  while (served.load() != kRounds && !lost) {
    lost = !is_readable(bell, kWatchdogMilliseconds);
    bell.answer();
    served.store(asked.load(std::memory_order_relaxed));
  }
  EXPECT_FALSE(lost) << "a thread has rung, and waits, and the bell is silent";
  ringer.join();
}

}  // namespace
}  // namespace weft
