// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/schedules/doacross_board.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

namespace weft::openmp {
namespace {

TEST(DoacrossBoard, TellsThoseWhoseNumberHasCome) {
  DoacrossBoard board(2);
  EXPECT_FALSE(board.ask(1, {.node = NodeId(3), .value = 5}));
  EXPECT_FALSE(board.ask(1, {.node = NodeId(4), .value = 9}));
  EXPECT_FALSE(board.post(0, 100));  // another thread's number
  EXPECT_FALSE(board.post(1, 4));
  EXPECT_TRUE(board.post(1, 6));
  const auto met = board.take(1);
  ASSERT_EQ(met.size(), 1U);
  EXPECT_EQ(met[0].node, NodeId(3));
  EXPECT_FALSE(board.post(1, 8));
  EXPECT_TRUE(board.post(1, 9));
  EXPECT_EQ(board.take(1).size(), 1U);
  EXPECT_FALSE(board.post(1, 10));
}

TEST(DoacrossBoard, AnswersAtOnceWhatIsThere) {
  DoacrossBoard board(1);
  EXPECT_FALSE(board.post(0, 7));
  EXPECT_TRUE(board.ask(0, {.node = NodeId(1), .value = 7}));
  EXPECT_FALSE(board.post(0, 8));  // it was not kept
  EXPECT_EQ(board.posted(0), 8U);
}

// Each number is asked for while it is being posted: one of the two must see the other.
TEST(DoacrossBoard, LosesNoAskThatMeetsAPost) {
  constexpr std::uint64_t kLast = 20'000;
  DoacrossBoard board(1);
  std::atomic<std::uint64_t> answered{0};
  std::thread poster([&] {
    for (std::uint64_t value = 1; value <= kLast; ++value) {
      if (board.post(0, value)) answered.fetch_add(board.take(0).size());
      while (value % 2 == 0 && answered.load() < value / 2) std::this_thread::yield();
    }
  });
  for (std::uint64_t value = 2; value <= kLast; value += 2) {
    if (board.ask(0, {.node = NodeId(0), .value = value})) answered.fetch_add(1);
    while (answered.load() < value / 2) std::this_thread::yield();
  }
  poster.join();
  EXPECT_EQ(answered.load(), kLast / 2);
}

}  // namespace
}  // namespace weft::openmp
