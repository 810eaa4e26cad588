// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "openmp/scheduling/ready_queue.hpp"

#include <gtest/gtest.h>

namespace weft::openmp::tasks {
namespace {

class ReadyQueueTest : public testing::Test {
 protected:
  ReadyQueueTest() { queue_.set_threads(2); }
  void push(unsigned thread, int name, std::int32_t priority = 0) {
    tasks_[name].number = static_cast<Number>(name);
    tasks_[name].priority = priority;
    queue_.push(thread, tasks_[name]);
  }
  // The name of what is taken; -1 for nothing.
  static int name_of(const Task* task) {
    return task == nullptr ? -1 : static_cast<int>(task->number);
  }
  int take(unsigned thread) {
    return name_of(queue_.take(thread, [](Task&) { return true; }));
  }
  int take_odd(unsigned thread) {
    return name_of(queue_.take(thread, [](Task& task) { return task.number % 2 == 1; }));
  }
  int take_oldest() {
    return name_of(queue_.take_oldest([](Task&) { return true; }));
  }
  ReadyQueue queue_;
  Task tasks_[16];
};

TEST_F(ReadyQueueTest, AThreadTakesItsNewestAndOthersItsOldest) {
  for (int name = 1; name <= 4; ++name) push(0, name);
  EXPECT_EQ(take(0), 4);
  EXPECT_EQ(take(1), 1);
  EXPECT_EQ(take_oldest(), 2);
  EXPECT_EQ(take(1), 3);
  EXPECT_EQ(take(0), -1);
  EXPECT_EQ(queue_.size(), 0U);
}

TEST_F(ReadyQueueTest, TheOwnListComesFirst) {
  push(0, 1);
  push(1, 2);
  push(queue_.nobody(), 3);
  EXPECT_EQ(take(1), 2);
  EXPECT_EQ(take(1), 3);
  EXPECT_EQ(take(1), 1);
}

TEST_F(ReadyQueueTest, PriorityComesBeforeEverything) {
  push(0, 1);
  push(1, 2, 5);
  push(1, 3, 9);
  push(0, 4, 5);
  EXPECT_EQ(take(0), 3);
  EXPECT_EQ(take_oldest(), 2);
  EXPECT_EQ(take(1), 4);
  EXPECT_EQ(take(1), 1);
}

TEST_F(ReadyQueueTest, WhatIsRefusedStaysWhereItWas) {
  for (int name = 1; name <= 4; ++name) push(0, name);
  push(0, 6, 1);
  EXPECT_EQ(take_odd(0), 3);
  EXPECT_EQ(take_odd(1), 1);
  EXPECT_EQ(take_odd(0), -1);
  EXPECT_EQ(queue_.size(), 3U);
  EXPECT_EQ(take(0), 6);
  EXPECT_EQ(take(0), 4);
  EXPECT_EQ(take(0), 2);
}

TEST_F(ReadyQueueTest, OtherNodesTakeFromAllThreadsInTurn) {
  push(0, 1);
  push(0, 2);
  push(1, 3);
  push(1, 4);
  const int first = take_oldest(), second = take_oldest();
  EXPECT_EQ(first + second, 1 + 3) << "one from each";
}

}  // namespace
}  // namespace weft::openmp::tasks
