// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/locks/entrusted_locks.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <thread>
#include <vector>

namespace weft {
namespace {

LockId lock_number(std::uint64_t number) {
  return LockId((0x7000'0000'0000 + 8 * number) << 3 | 2);
}

class EntrustedLocksTest : public testing::Test {
 protected:
  std::array<EntrustedLocks::Slot, 16> slots_{};
  EntrustedLocks locks_{slots_, false};
  const LockId lock_ = lock_number(1), other_ = lock_number(2);
};

TEST_F(EntrustedLocksTest, ALockIsTheEnginesUntilItIsEntrusted) {
  EXPECT_FALSE(locks_.take(lock_));
  EXPECT_TRUE(locks_.entrust(lock_));
  EXPECT_FALSE(locks_.take(other_));
  EXPECT_TRUE(locks_.take(lock_));
}

TEST_F(EntrustedLocksTest, OneThreadHasItAtATime) {
  locks_.entrust(lock_);
  EXPECT_TRUE(locks_.take(lock_));
  EXPECT_FALSE(locks_.take(lock_));
  EXPECT_TRUE(locks_.give_up(lock_));
  EXPECT_FALSE(locks_.give_up(lock_));
  EXPECT_TRUE(locks_.take(lock_));
  EXPECT_EQ(locks_.times_taken(), 2U);
}

TEST_F(EntrustedLocksTest, ALockCalledBackIsNotTakenAny) {
  locks_.entrust(lock_);
  EXPECT_FALSE(locks_.call_back(lock_));
  EXPECT_FALSE(locks_.take(lock_));
}

TEST_F(EntrustedLocksTest, TheHolderOfALockCalledBackTellsTheEngine) {
  locks_.entrust(lock_);
  ASSERT_TRUE(locks_.take(lock_));
  EXPECT_TRUE(locks_.call_back(lock_));
  EXPECT_FALSE(locks_.give_up(lock_));
}

TEST_F(EntrustedLocksTest, NobodySleepsForALockThatIsNotHeld) {
  EXPECT_FALSE(locks_.has(lock_));
  EXPECT_FALSE(locks_.sleep_while_held(lock_));
  locks_.entrust(lock_);
  EXPECT_TRUE(locks_.has(lock_));
  EXPECT_TRUE(locks_.sleep_while_held(lock_));
  EXPECT_TRUE(locks_.take_awaited(lock_));
  EXPECT_TRUE(locks_.has(lock_));
  EXPECT_TRUE(locks_.call_back(lock_)) << "held, and awaited";
  EXPECT_FALSE(locks_.has(lock_));
  EXPECT_FALSE(locks_.sleep_while_held(lock_));
  EXPECT_FALSE(locks_.give_up(lock_));
}

// Who sleeps is woken when the lock is given up, and takes it; or when it is called back. (A sleep
// that nobody ends takes a second: these are thousands.)
TEST_F(EntrustedLocksTest, SleepersAreWoken) {
  constexpr int kThreads = 4, kTimes = 3000;
  locks_.entrust(lock_);
  int times = 0;
  const auto count = [&] {
    for (int time = 0; time < kTimes; ++time) {
      bool is_taken = locks_.take(lock_);
      while (!is_taken && locks_.sleep_while_held(lock_)) is_taken = locks_.take_awaited(lock_);
      ASSERT_TRUE(is_taken);
      ++times;
      if (time % 16 == 0) std::this_thread::yield();
      ASSERT_TRUE(locks_.give_up(lock_));
    }
  };
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < kThreads; ++thread) threads.emplace_back(count);
  threads.clear();
  EXPECT_EQ(times, kThreads * kTimes);

  ASSERT_TRUE(locks_.take(lock_));
  std::jthread sleeper([&] {
    while (locks_.sleep_while_held(lock_)) {
    }
  });
  EXPECT_TRUE(locks_.call_back(lock_));
}

TEST_F(EntrustedLocksTest, ARightIsShownUntilItIsCalledBack) {
  EXPECT_EQ(locks_.right_of(lock_), 0U);
  locks_.show_right(lock_, 7);
  EXPECT_EQ(locks_.right_of(lock_), 7U);
  EXPECT_EQ(locks_.right_of(other_), 0U);
  EXPECT_FALSE(locks_.take(lock_));
  EXPECT_FALSE(locks_.take_soon(lock_));
  EXPECT_FALSE(locks_.give_up(lock_));
  EXPECT_FALSE(locks_.call_back(lock_));
  EXPECT_EQ(locks_.right_of(lock_), 0U);
  locks_.entrust(lock_);
  EXPECT_EQ(locks_.right_of(lock_), 0U);
  EXPECT_TRUE(locks_.take(lock_));
}

TEST_F(EntrustedLocksTest, ThereIsRoomForSomeLocks) {
  std::uint64_t entrusted = 0;
  while (locks_.entrust(lock_number(entrusted))) ++entrusted;
  EXPECT_GE(entrusted, 8U);
  EXPECT_LE(entrusted, slots_.size());
  EXPECT_FALSE(locks_.take(lock_number(entrusted)));
  EXPECT_FALSE(locks_.call_back(lock_number(0)));
  EXPECT_TRUE(locks_.entrust(lock_number(0)));
}

TEST_F(EntrustedLocksTest, AllMayBeEntrustedFromTheBeginning) {
  EntrustedLocks locks{slots_, true};
  EXPECT_TRUE(locks.take(lock_));
  EXPECT_FALSE(locks.take(lock_));
  EXPECT_TRUE(locks.call_back(lock_));
  EXPECT_FALSE(locks.take(lock_));
  EXPECT_FALSE(locks.call_back(other_));
  EXPECT_FALSE(locks.take(other_));
}

TEST_F(EntrustedLocksTest, FromTheBeginningThereIsRoomForSomeToo) {
  EntrustedLocks locks{slots_, true};
  std::uint64_t taken = 0;
  while (locks.take(lock_number(taken))) ++taken;
  EXPECT_GE(taken, 8U);
  EXPECT_LE(taken, slots_.size());
  EXPECT_FALSE(locks.call_back(lock_number(taken)));
}

// A thread and the engine want the same lock, which has no slot, at the same moment.
TEST(EntrustedLocks, AThreadOrTheEngineGetsALockFirst) {
  constexpr std::uint64_t kLocks = 4096;
  std::vector<EntrustedLocks::Slot> slots(2 * kLocks);
  EntrustedLocks locks{slots, true};
  std::vector<char> taken(kLocks), held(kLocks);
  std::thread thread([&] {
    for (std::uint64_t each = 0; each < kLocks; ++each) taken[each] = locks.take(lock_number(each));
  });
  for (std::uint64_t each = 0; each < kLocks; ++each) {
    held[each] = locks.call_back(lock_number(each));
  }
  thread.join();
  EXPECT_EQ(taken, held);
}

// Two threads count under a lock that a third one calls back and entrusts again.
TEST_F(EntrustedLocksTest, ExcludesThreadsWhileItIsCalledBack) {
  constexpr std::uint64_t kCounts = 20'000;
  std::uint64_t count = 0;
  std::atomic<unsigned> running{2};
  std::atomic<bool> returned{false};
  locks_.entrust(lock_);
  const auto work = [&] {
    for (std::uint64_t done = 0; done < kCounts;) {
      if (!locks_.take(lock_)) continue;
      ++count;
      ++done;
      if (!locks_.give_up(lock_)) returned = true;
    }
    --running;
  };
  std::vector<std::thread> threads;
  for (int each = 0; each < 2; ++each) threads.emplace_back(work);
  while (running > 0) {
    const bool is_held = locks_.call_back(lock_);
    while (is_held && !returned.exchange(false)) {
    }
    locks_.entrust(lock_);
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(count, 2 * kCounts);
  EXPECT_EQ(locks_.times_taken(), 2 * kCounts);
}

}  // namespace
}  // namespace weft
