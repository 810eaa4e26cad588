// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/interface/held_locks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <thread>

namespace weft {
namespace {

constexpr NodeId kHere{1}, kThere{2};

LockId lock(std::uint64_t number) { return LockId(number << 6U); }

// By another thread, which ends.
template <typename Function>
void elsewhere(Function function) {
  std::thread(function).join();
}

TEST(HeldLocks, AreCountedForTheirHolder) {
  HeldLocks locks;
  EXPECT_EQ(locks.count_again(lock(1)), 0);
  locks.took(lock(1));
  EXPECT_TRUE(locks.is_mine(lock(1)));
  EXPECT_EQ(locks.count_again(lock(1)), 2);
  EXPECT_FALSE(locks.is_held(lock(2)));
  elsewhere([&] {
    EXPECT_FALSE(locks.is_mine(lock(1)));
    EXPECT_TRUE(locks.is_held(lock(1)));
    EXPECT_EQ(locks.count_again(lock(1)), 0);
    EXPECT_EQ(locks.count_of_mine(), 0U);
  });
  EXPECT_FALSE(locks.count_down(lock(1))->is_free);
  const auto last = locks.count_down(lock(1));
  EXPECT_TRUE(last->is_free);
  EXPECT_EQ(last->keeper, kNoNode);
  EXPECT_FALSE(locks.count_down(lock(1)).has_value());
}

TEST(HeldLocks, MayBeManyAndGivenUpByAnybody) {
  HeldLocks locks;
  constexpr std::uint64_t kMany = 2000;
  for (std::uint64_t each = 0; each < kMany; ++each) locks.took(lock(each));
  EXPECT_EQ(locks.count_of_mine(), kMany);
  elsewhere([&] {
    for (std::uint64_t each = 0; each < kMany; each += 2)
      EXPECT_TRUE(locks.count_down(lock(each))->is_free);
  });
  EXPECT_EQ(locks.count_of_mine(), kMany / 2);
  for (std::uint64_t each = 0; each < kMany; ++each)
    EXPECT_EQ(locks.is_mine(lock(each)), each % 2 == 1);
}

// The node at which a lock was acquired has it for the engine, until it is given up elsewhere.
TEST(HeldLocks, GoWithTheirHolder) {
  HeldLocks here, there;
  here.took(lock(1));
  (void)here.count_again(lock(1));
  elsewhere([&] { here.took(lock(2)); });
  const std::vector<CarriedLock> carried = here.carry_off(kHere);
  ASSERT_EQ(carried.size(), 1U);
  EXPECT_EQ(carried[0].lock, lock(1));
  EXPECT_EQ(carried[0].count, 2U);
  EXPECT_EQ(carried[0].keeper, kHere);
  EXPECT_FALSE(here.is_mine(lock(1)));
  there.take_over(carried, kThere);
  EXPECT_TRUE(there.is_mine(lock(1)));
  EXPECT_FALSE(there.count_down(lock(1))->is_free);
  EXPECT_EQ(there.count_down(lock(1))->keeper, kHere);
  here.drop(lock(1));
  EXPECT_FALSE(here.count_down(lock(1)).has_value());
  EXPECT_TRUE(here.count_down(lock(2)).has_value());
}

// And on to a third node, or home again.
TEST(HeldLocks, OfAnotherKeeperAreNotLeftBehind) {
  HeldLocks here, there;
  here.took(lock(1));
  there.take_over(here.carry_off(kHere), kThere);
  const std::vector<CarriedLock> carried = there.carry_off(kThere);
  ASSERT_EQ(carried.size(), 1U);
  EXPECT_EQ(carried[0].keeper, kHere);
  EXPECT_FALSE(there.count_down(lock(1)).has_value());
  here.take_over(carried, kHere);
  EXPECT_EQ(here.count_down(lock(1))->keeper, kNoNode);
}

}  // namespace
}  // namespace weft
