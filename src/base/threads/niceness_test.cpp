// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/threads/niceness.hpp"

#include <gtest/gtest.h>

#include <future>
#include <thread>

#include "base/threads/own_thread.hpp"

namespace weft {
namespace {

// In a thread of its own: there is no way back without a permission.
template <typename Action>
void in_another_thread(Action action) {
  std::thread(action).join();
}

bool may_go_to(int wanted) {
  bool may = false;
  in_another_thread([&] { may = setpriority(PRIO_PROCESS, 0, wanted) == 0; });
  return may;
}

TEST(Niceness, AThreadGoesFirstAndThoseThatItStartsDoNot) {
  const int before = niceness();
  const int first = std::max(before - 20, -20);
  const bool may = may_go_to(first);
  in_another_thread([&] {
    go_first();
    if (may) EXPECT_EQ(niceness(), first);
    EXPECT_LE(niceness(), before);
    std::promise<int> of_started;
    ASSERT_EQ(start_own_thread([&] { of_started.set_value(niceness()); }), "");
    EXPECT_EQ(of_started.get_future().get(), before);
  });
  EXPECT_EQ(niceness(), before);
}

TEST(Niceness, OthersStartThreadsAsTheyAre) {
  in_another_thread([] {
    const int mine = std::min(niceness() + 1, 19);
    ASSERT_EQ(setpriority(PRIO_PROCESS, 0, mine), 0);
    std::promise<int> of_started;
    ASSERT_EQ(start_own_thread([&] { of_started.set_value(niceness()); }), "");
    EXPECT_EQ(of_started.get_future().get(), mine);
  });
}

}  // namespace
}  // namespace weft
