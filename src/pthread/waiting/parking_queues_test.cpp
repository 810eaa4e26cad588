// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pthread/waiting/parking_queues.hpp"

#include <gtest/gtest.h>

namespace weft::pthread {
namespace {

constexpr ParkingKey kOne = 0x1000 | kKeptByNode0, kOther = 0x2000 | kKeptByNode0;

ParkingQueues::Waiter waiter(std::uint64_t number, std::uint32_t bits = kAnyBits) {
  return {.node = NodeId(0), .sleeper = number, .bits = bits};
}

std::vector<std::uint64_t> numbers(const std::vector<ParkingQueues::Waiter>& waiters) {
  std::vector<std::uint64_t> result;
  for (const auto& each : waiters) result.push_back(each.sleeper);
  return result;
}

using Numbers = std::vector<std::uint64_t>;

TEST(ParkingQueues, AWakeSkipsThoseWithoutItsBits) {
  ParkingQueues queues;
  queues.add(kOne, waiter(1, 1));
  queues.add(kOne, waiter(2, 2));
  queues.add(kOne, waiter(3, 3));
  EXPECT_EQ(numbers(queues.pop(kOne, {.count = 1, .bits = 2})), Numbers({2}));
  EXPECT_EQ(numbers(queues.pop(kOne, {.count = 9, .bits = 4})), Numbers());
  EXPECT_EQ(numbers(queues.pop(kOne, {.count = 9})), Numbers({1, 3}));
}

TEST(ParkingQueues, MovedOnesAreInTheOtherQueue) {
  ParkingQueues queues;
  for (std::uint64_t number = 1; number <= 4; ++number) queues.add(kOne, waiter(number));
  std::vector<ParkingQueues::Waiter> popped;
  EXPECT_EQ(queues.pop_and_move(kOne, {.count = 1}, kOther, 2, popped), 2U);
  EXPECT_EQ(numbers(popped), Numbers({1}));
  EXPECT_EQ(numbers(queues.pop(kOne, {.count = 9})), Numbers({4}));
  EXPECT_EQ(numbers(queues.pop(kOther, {.count = 9})), Numbers({2, 3}));
}

TEST(ParkingQueues, AMovedOneIsFoundByItsFirstQueue) {
  ParkingQueues queues;
  queues.add(kOne, waiter(1));
  std::vector<ParkingQueues::Waiter> popped;
  EXPECT_EQ(queues.pop_and_move(kOne, {.count = 0}, kOther, 1, popped), 1U);
  EXPECT_TRUE(queues.note_asleep(kOne, waiter(1)));
  EXPECT_TRUE(queues.remove(kOne, waiter(1)));
  EXPECT_FALSE(queues.remove(kOne, waiter(1)));
  EXPECT_EQ(numbers(queues.pop(kOther, {.count = 9})), Numbers());
}

TEST(ParkingQueues, LaterOnesAreLeftOut) {
  ParkingQueues queues;
  queues.add(kOne, waiter(1));
  const std::uint64_t before = queues.arrivals();
  queues.add(kOne, waiter(2));
  std::vector<ParkingQueues::Waiter> popped;
  EXPECT_EQ(queues.pop_and_move(kOne, {.count = 0, .before = before}, kOther, 9, popped), 1U);
  EXPECT_EQ(numbers(queues.pop(kOne, {.count = 9})), Numbers({2}));
}

TEST(ParkingQueues, AMoveToTheSameQueueKeepsAll) {
  ParkingQueues queues;
  for (std::uint64_t number = 1; number <= 3; ++number) queues.add(kOne, waiter(number));
  std::vector<ParkingQueues::Waiter> popped;
  EXPECT_EQ(queues.pop_and_move(kOne, {.count = 1}, kOne, 9, popped), 2U);
  EXPECT_EQ(numbers(queues.pop(kOne, {.count = 9})), Numbers({2, 3}));
}

}  // namespace
}  // namespace weft::pthread
